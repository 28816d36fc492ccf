import { Type } from 'typebox'
import { Event } from '../../../platform/background/events.ts'
import { eventsKeptMs } from '../../../platform/background/housekeeping.ts'
import { numberEvents } from '../../../platform/background/outbox.ts'
import { isoTime } from '../../../platform/clock.ts'
import type { Context } from '../../../platform/context.ts'
import { mapPage } from '../../../platform/database/paging.ts'
import { defineList, defineRead, type Operation } from '../../../platform/http/operation.ts'
import { idParameter } from '../../../platform/http/path-parameter.ts'
import { ApiError } from '../../../platform/protocol/errors.ts'
import { createdBounds, createdFilters } from '../../../platform/values/fields.ts'
import { timeOfId } from '../../../platform/values/ids.ts'
import { findEvent, listEvents } from './queries.ts'
import { toEvent } from './records.ts'

/** `eventTypes` are those that the list of events can hold. */
export const eventOperations = (eventTypes: readonly string[]): readonly Operation[] => [
  defineList({
    id: 'events.list',
    path: '/events/',
    resource: 'Events',
    summary: 'List events',
    description:
      'Lists the events of the last 30 days, newest first. To catch up after a pause, send `order=sequence` and set `sequence_after` to the last sequence number you have processed.',
    grant: ['webhooks:read', 'webhooks:write'],
    example_query: 'type=business.created&page_size=2',
    query: {
      type: Type.Optional(Type.Enum([...eventTypes], { description: 'Only events of this type.' })),
      resource_id: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: 'Only events about the record with this id.' }),
      ),
      sequence_after: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'Only events with a higher sequence number.',
        }),
      ),
      ...createdFilters,
    },
    item: Event,
    collection: {
      orders: ['sequence'],
      default_order: '-sequence',
      page_size: { default: 50, maximum: 250 },
      backward: true,
    },
    async list(db, { caller: { context, portal_id }, query: { created_after, created_before, ...filters } }, page) {
      await numberEvents(context.database, portal_id)
      const conditions = { ...filters, ...createdBounds({ created_after, created_before }) }
      return mapPage(await listEvents(db, portal_id, oldestKept(context), conditions, page), (row) =>
        toEvent(context, row),
      )
    },
  }),
  defineRead({
    id: 'events.read',
    path: '/events/{event_id}/',
    resource: 'Events',
    summary: 'Read an event',
    grant: ['webhooks:read', 'webhooks:write'],
    params: { event_id: idParameter('evt', 'The id of the event.', { found_in: '/events/?type=business.created' }) },
    response: Event,
    errors: ['event_expired'],
    async read(db, { caller: { context, portal_id }, params }) {
      await numberEvents(context.database, portal_id)
      const row = await findEvent(db, portal_id, params.event_id)
      // A removed event is known by its id alone, which contains its time: any id older than the retention, but not older
      // than the Portal, gets 410. It cannot be told from the answer whether the event was this Portal's, another
      // Portal's or never existed, and the same is true of the 404 for every other id.
      const made = row ? Date.parse(row.created_at) : timeOfId(params.event_id)
      const isOld = made <= context.clock.expiry() - eventsKeptMs
      if (isOld && (row || made >= timeOfId(portal_id))) throw new ApiError('event_expired')
      if (!row) throw new ApiError('not_found')
      return toEvent(context, row)
    },
  }),
]

function oldestKept(context: Context): string {
  return isoTime(context.clock.expiry() - eventsKeptMs)
}

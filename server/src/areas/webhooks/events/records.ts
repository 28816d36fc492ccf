import type { Event } from '../../../platform/background/events.ts'
import { apiUrl, type Context } from '../../../platform/context.ts'
import type { EventRow } from './queries.ts'

export function toEvent({ config }: Context, row: EventRow): Event {
  const { state, previous_state, changes, request_id } = row
  return {
    id: row.id,
    type: row.type,
    timestamp: row.created_at,
    api_version: 'v1',
    portal_id: row.portal_id,
    environment: config.environment,
    sequence: row.sequence ?? 0,
    data: {
      resource: {
        type: row.resource_type,
        id: row.resource_id,
        url: apiUrl(config, row.resource_path),
        version: row.resource_version,
      },
      ...(state !== null && { state }),
      ...(previous_state !== null && { previous_state }),
      ...(changes.length > 0 && { changes }),
      ...(request_id !== null && { request_id }),
    },
  }
}

import { Type } from 'typebox'
import { chainEntries } from '../../platform/audit/chain.ts'
import { AuditEntry } from '../../platform/audit/entries.ts'
import { numberEvents } from '../../platform/background/outbox.ts'
import { defineList, type Operation } from '../../platform/http/operation.ts'
import { createdBounds, createdFilters } from '../../platform/values/fields.ts'
import { listEntries } from './queries.ts'

const only = (what: string, maxLength = 100) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description: `Only entries ${what}.` }))

export const auditLogOperations: readonly Operation[] = [
  defineList({
    id: 'audit_log.list',
    path: '/audit-log/',
    resource: 'Audit log',
    summary: 'List audit entries',
    description:
      'Lists who changed what in your Portal, newest first. Entries are never changed or deleted, and each entry contains the hash of the one before.',
    grant: ['audit:read'],
    example_query: 'action=business.created&page_size=2',
    query: {
      actor_id: only('of this API key, operating system user or job', 200),
      action: only('with this action'),
      resource_id: only('about the record with this id'),
      request_id: only('of the request with this `Request-Id`'),
      ...createdFilters,
    },
    item: AuditEntry,
    collection: {
      orders: ['sequence'],
      default_order: '-sequence',
      page_size: { default: 50, maximum: 250 },
      backward: true,
    },
    async list(db, { caller: { context, portal_id }, query: { created_after, created_before, ...filters } }, page) {
      await numberEvents(context.database, portal_id)
      await chainEntries(context.database, portal_id, mostRounds)
      const conditions = { ...filters, ...createdBounds({ created_after, created_before }) }
      return listEntries(db, portal_id, conditions, page)
    },
  }),
]

/** What waits beyond that, because no worker has run for long, is not chained while a request waits. */
const mostRounds = 10

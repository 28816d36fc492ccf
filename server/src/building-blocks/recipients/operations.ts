import { mapPage } from '../../platform/database/paging.ts'
import { defineList, defineRead, type Operation } from '../../platform/http/operation.ts'
import { idParameter } from '../../platform/http/path-parameter.ts'
import { ApiError } from '../../platform/protocol/errors.ts'
import { listRecipients } from './list-queries.ts'
import { findVisibleRecipient } from './queries.ts'
import { toRecipient } from './records.ts'
import { Recipient, recipientFilters } from './schema.ts'

// Whoever looks for programmes, deals with a recipient or applies to one needs to know who it is.
const grant = ['projects', 'deals', 'deal_applications'].flatMap((name) => [`${name}:read`, `${name}:write`])

export const recipientOperations: readonly Operation[] = [
  defineList({
    id: 'recipients.list',
    path: '/recipients/',
    resource: 'Recipients',
    summary: 'List recipients',
    description:
      'A recipient is a Portal that receives deals and offers funding programmes. The list contains the recipients that are open to everyone, those that have invited your Portal, and your own Portal (`own_portal`), which is listed even when it has published no profile.',
    grant,
    query: recipientFilters,
    item: Recipient,
    collection: {
      orders: ['name'],
      default_order: 'name',
      page_size: { default: 25, maximum: 100 },
      backward: true,
    },
    async list(db, { caller, query }, page) {
      return mapPage(await listRecipients(db, caller.portal_id, query, page), (row) =>
        toRecipient(caller.context, caller.portal_id, row),
      )
    },
  }),
  defineRead({
    id: 'recipients.read',
    path: '/recipients/{recipient_id}/',
    resource: 'Recipients',
    summary: 'Read a recipient',
    description:
      'Returns the profile of a recipient that your Portal can see. A recipient that is not published, is suspended or has not invited your Portal is reported as `not_found`.',
    grant,
    params: { recipient_id: idParameter('rcp', 'The id of the recipient.', { found_in: '/recipients/' }) },
    response: Recipient,
    async read(db, { caller, params }) {
      const row = await findVisibleRecipient(db, caller.portal_id, params.recipient_id)
      if (!row) throw new ApiError('not_found')
      return toRecipient(caller.context, caller.portal_id, row)
    },
  }),
]

import { apiUrl, type Context } from '../../platform/context.ts'
import { etagOf } from '../../platform/protocol/etag.ts'
import type { RecipientRow } from './queries.ts'
import { ownKind, type Recipient } from './schema.ts'

/** A recipient as one Portal sees it: itself as its own Portal, whatever it is for others. */
export function toRecipient({ config }: Context, portalId: string, row: RecipientRow): Recipient {
  const { id, version, created_at, updated_at, application_contract_id } = row
  const isOwn = row.portal_id === portalId
  return {
    id,
    url: apiUrl(config, `/recipients/${id}/`),
    // What the Portal itself sees is another text than what others see, so it has another tag.
    etag: etagOf({ id: isOwn ? `${id} ${ownKind}` : id, version, updated_at }),
    created_at,
    updated_at,
    name: row.name,
    // safe because only these kinds are ever stored
    kind: isOwn ? ownKind : (row.kind as Recipient['kind']),
    description: row.description,
    website: row.website,
    countries: row.countries,
    accepting_applications: row.accepting_applications,
    time_zone: row.time_zone,
    programs_url: apiUrl(config, `/funding-programs/?recipient_id=${id}`),
    application_contract_url:
      application_contract_id === null ? null : apiUrl(config, `/contracts/${application_contract_id}/`),
  }
}

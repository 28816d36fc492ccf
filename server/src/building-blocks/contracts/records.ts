import { apiUrl, type Context } from '../../platform/context.ts'
import { etagOf } from '../../platform/protocol/etag.ts'
import type { ContractRow } from './queries.ts'
import type { Contract } from './schema.ts'

export function toContract({ config }: Context, row: ContractRow): Contract {
  const { id, created_at } = row
  const url = apiUrl(config, `/contracts/${id}/`)
  const record = {
    id,
    url,
    etag: etagOf({ id, version: 1, updated_at: created_at }),
    created_at,
    updated_at: created_at,
    kind: row.kind,
    key: row.key,
    version: row.version,
    title: row.title,
    locale: row.locale,
    sections: row.sections,
    questions: row.questions,
    option_sets: row.option_sets,
    schema_url: `${url}schema.json`,
  }
  // safe because only contracts that have passed the check are ever stored
  return record as Contract
}

import { apiUrl, type Context } from '../../platform/context.ts'
import { etagOf } from '../../platform/protocol/etag.ts'
import type { ContractRow, ContractSummaryRow } from './queries.ts'
import type { Contract, ContractSummary } from './schema.ts'

export function toContractSummary({ config }: Pick<Context, 'config'>, row: ContractSummaryRow): ContractSummary {
  const { id, created_at, kind, key, version, title, locale } = row
  const url = apiUrl(config, `/contracts/${id}/`)
  const record = {
    id,
    url,
    etag: etagOf({ id, version: 1, updated_at: created_at }),
    created_at,
    updated_at: created_at,
    kind,
    key,
    version,
    title,
    locale,
    schema_url: `${url}schema.json`,
  }
  // safe because only contracts that have passed the check are ever stored
  return record as ContractSummary
}

export function toContract({ config }: Pick<Context, 'config'>, row: ContractRow): Contract {
  const { schema_url, ...summary } = toContractSummary({ config }, row)
  const { sections, questions, option_sets } = row
  const record = { ...summary, sections, questions, option_sets, schema_url }
  // safe because only contracts that have passed the check are ever stored
  return record as Contract
}

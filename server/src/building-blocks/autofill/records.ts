import { apiUrl, type Context } from '../../platform/context.ts'
import { etagOf } from '../../platform/protocol/etag.ts'
import type { Vault } from '../../platform/vault.ts'
import { type ApplicationKind, applicationPath } from '../questionnaires/application-kind.ts'
import type { RunRow } from './queries.ts'
import type { AutofillOutcome, AutofillRun } from './schema.ts'
import { runStates } from './states.ts'

export function runPath(kind: ApplicationKind, applicationId: string, runId: string): string {
  return `${applicationPath(kind, applicationId)}autofill-runs/${runId}/`
}

export function toRun({ config, vault }: Context, kind: ApplicationKind, row: RunRow): AutofillRun {
  const { id, application_id, state, state_changed_at, created_at, updated_at, mode, error } = row
  const outcome = openOutcome(vault, row)
  const allowed = runStates.availableActions(state, 'owner')
  return {
    id,
    url: apiUrl(config, runPath(kind, application_id, id)),
    etag: etagOf(row),
    created_at,
    updated_at,
    application_id,
    state,
    state_changed_at,
    available_actions: allowed.filter((action) => action !== 'apply' || outcome.suggested.length > 0),
    mode,
    // safe because only these sources are ever inserted
    sources: row.sources as AutofillRun['sources'],
    ...outcome,
    error,
  }
}

/** Suggestions are answers nobody has given yet: they are kept sealed as well. */
export function sealOutcome(vault: Vault, { portal_id, id }: RunRow, outcome: AutofillOutcome): string {
  return vault.seal('autofill', JSON.stringify(outcome), `${portal_id} ${id}`)
}

export function openOutcome(
  vault: Vault,
  { portal_id, id, sealed_outcome }: Pick<RunRow, 'portal_id' | 'id' | 'sealed_outcome'>,
): AutofillOutcome {
  if (sealed_outcome === null) return { filled: [], suggested: [], skipped: [], problems: [] }
  const text = vault.open('autofill', sealed_outcome, `${portal_id} ${id}`)
  if (text === undefined) throw new Error('an Autofill run cannot be decrypted: was PORTICO_SECRET_KEY changed?')
  return JSON.parse(text)
}

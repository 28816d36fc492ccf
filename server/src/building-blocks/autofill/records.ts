import { apiUrl, type Caller } from '../../platform/context.ts'
import { etagOf } from '../../platform/protocol/etag.ts'
import { type ApplicationKind, applicationPath } from '../questionnaires/application-kind.ts'
import type { RunRow } from './queries.ts'
import type { AutofillOutcome, AutofillRun } from './schema.ts'

export function runPath(kind: ApplicationKind, applicationId: string, runId: string): string {
  return `${applicationPath(kind, applicationId)}autofill-runs/${runId}/`
}

export function toRun(caller: Caller, kind: ApplicationKind, row: RunRow): AutofillRun {
  const { id, application_id, state, state_changed_at, created_at, updated_at, mode, error } = row
  return {
    id,
    url: apiUrl(caller.context.config, runPath(kind, application_id, id)),
    etag: etagOf(row),
    created_at,
    updated_at,
    application_id,
    state,
    state_changed_at,
    available_actions: state === 'completed' ? ['apply'] : [],
    mode,
    // safe because only these sources are ever inserted
    sources: row.sources as AutofillRun['sources'],
    ...openOutcome(caller, row),
    error,
  }
}

/** Suggestions are answers nobody has given yet: they are kept sealed as well. */
export function sealOutcome({ context, portal_id }: Caller, runId: string, outcome: AutofillOutcome): string {
  return context.vault.seal('autofill', JSON.stringify(outcome), `${portal_id} ${runId}`)
}

export function openOutcome({ context, portal_id }: Caller, { id, sealed_outcome }: RunRow): AutofillOutcome {
  if (sealed_outcome === null) return { filled: [], suggested: [], skipped: [], problems: [] }
  const text = context.vault.open('autofill', sealed_outcome, `${portal_id} ${id}`)
  if (text === undefined) throw new Error('an Autofill run cannot be opened: was PORTICO_SECRET_KEY changed?')
  return JSON.parse(text)
}

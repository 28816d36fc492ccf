import { note } from '../../platform/audit/notes.ts'
import { isoTime } from '../../platform/clock.ts'
import type { Caller } from '../../platform/context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { newId } from '../../platform/values/ids.ts'
import { checkContract } from './contract-check.ts'
import type { ContractDraft, ContractProblem } from './contract-schema.ts'
import { type ContractRow, insertContract, lastContractVersion } from './queries.ts'

/** A contract that cannot be published, with everything that is wrong with it. */
export class ContractRefused extends Error {
  constructor(readonly problems: readonly ContractProblem[]) {
    super(problems.map(({ place, message }) => `${place || 'The contract'}: ${message}`).join('\n'))
  }
}

/** Publishes a draft as the next version of its contract. From then on it never changes. */
export async function publishContract(tx: Tx, caller: Caller, draft: unknown): Promise<ContractRow> {
  const now = isoTime(caller.context.clock.now())
  const problems = checkContract(draft, now.slice(0, 10))
  if (problems.length > 0) throw new ContractRefused(problems)
  // safe because it has just been checked
  const { kind, key = kind, title, locale, sections, questions, option_sets = {} } = draft as ContractDraft
  const row: ContractRow = {
    id: newId('ctr'),
    kind,
    key,
    version: (await lastContractVersion(tx, caller.portal_id, kind, key)) + 1,
    title,
    locale,
    sections,
    questions,
    option_sets,
    created_at: now,
  }
  await insertContract(tx, caller.portal_id, {
    ...row,
    sections: JSON.stringify(sections),
    questions: JSON.stringify(questions),
    option_sets: JSON.stringify(option_sets),
  })
  await note(tx, caller, { action: 'contract.published', resource_id: row.id, version: row.version })
  return row
}

import type { Connection } from '../../platform/database/database.ts'
import { type ContractModel, modelOf } from './contract-model.ts'
import type { ContractDraft } from './contract-schema.ts'
import { type ContractRow, findContract } from './queries.ts'

export interface KnownContract {
  row: ContractRow
  model: ContractModel
  /** Questions whose answers are sealed; an item is when one of its questions is. */
  restricted: ReadonlySet<string>
}

/** A contract with everything in it found by name. It never changes, so it is read once and kept. */
export async function findContractModel(
  db: Connection,
  portalId: string,
  id: string,
): Promise<KnownContract | undefined> {
  const name = `${portalId} ${id}`
  const kept = known.get(name)
  if (kept) return kept
  const row = await findContract(db, portalId, id)
  if (!row) return undefined
  // safe because only contracts that have passed the check are ever stored
  const contract = row as unknown as Pick<ContractDraft, 'sections' | 'questions' | 'option_sets'>
  const model = modelOf(contract)
  const isRestricted = ({ sensitivity }: { sensitivity?: string }) => sensitivity === 'restricted'
  const restricted = new Set(
    contract.questions
      .filter((question) => isRestricted(question) || question.questions?.some(isRestricted))
      .map(({ key }) => key),
  )
  const found = { row, model, restricted }
  if (known.size >= maximumKept) known.clear()
  known.set(name, found)
  return found
}

/** What never changes may be remembered by the whole process. */
const known = new Map<string, KnownContract>()
const maximumKept = 200

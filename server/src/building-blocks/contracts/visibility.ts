// Who may read a contract. Its own Portal always; others by rules that the app hands in, such as that of a recipient whose
// application the caller prepares.
import type { Caller } from '../../platform/context.ts'
import type { Connection } from '../../platform/database/database.ts'
import { type ContractRow, findContract } from './queries.ts'

/** The Portal whose contract this is, when the rule lets the caller read it; otherwise undefined. */
export type ContractVisibility = (db: Connection, caller: Caller, contractId: string) => Promise<string | undefined>

const ownContracts: ContractVisibility = async (_db, { portal_id }) => portal_id

export async function findVisibleContract(
  db: Connection,
  caller: Caller,
  rules: readonly ContractVisibility[],
  contractId: string,
): Promise<ContractRow | undefined> {
  for (const rule of [ownContracts, ...rules]) {
    const portalId = await rule(db, caller, contractId)
    const contract = portalId && (await findContract(db, portalId, contractId))
    if (contract) return contract
  }
  return undefined
}

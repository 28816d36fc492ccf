import type { ContractVisibility } from '../../building-blocks/contracts/visibility.ts'
import { findContractPortal } from './queries.ts'

/** Whoever prepares an application may read its questions, also when the recipient has others by now or is gone. */
export const applicationContract: ContractVisibility = (db, { portal_id }, contractId) =>
  findContractPortal(db, portal_id, contractId)

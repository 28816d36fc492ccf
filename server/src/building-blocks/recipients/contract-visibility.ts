import type { ContractVisibility } from '../contracts/visibility.ts'
import { findContractOwner } from './queries.ts'

/** Whoever sees a recipient may read the questions of its applications. */
export const applicationContracts: ContractVisibility = (db, { portal_id }, contractId) =>
  findContractOwner(db, portal_id, contractId)

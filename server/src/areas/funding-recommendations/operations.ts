import type { Operation } from '../../platform/http/operation.ts'
import { calculationOperations } from './calculations/operations.ts'
import { matchOperations } from './matches/operations.ts'
import { fundingProgramOperations } from './programs/operations.ts'
import { projectOperations } from './projects/operations.ts'

/** In the order of the task: a project, its criteria, the calculation, the matches; then the catalogue. */
export const fundingRecommendationOperations: readonly Operation[] = [
  ...projectOperations,
  ...calculationOperations,
  ...matchOperations,
  ...fundingProgramOperations,
]

import type { Operation } from '../../platform/http/operation.ts'
import { answerOperations } from './answer-operations.ts'
import type { ApplicationKind } from './application-kind.ts'
import { fileOperations } from './file-operations.ts'
import { itemOperations } from './item-operations.ts'
import { reviewOperations } from './review-operations.ts'

/** Everything that can be done under an application of a kind. */
export function questionnaireOperations(kind: ApplicationKind): Operation[] {
  return [...answerOperations(kind), ...itemOperations(kind), ...fileOperations(kind), ...reviewOperations(kind)]
}

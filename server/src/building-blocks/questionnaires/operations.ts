import type { Operation } from '../../platform/http/operation.ts'
import { answerOperations } from './answers/operations.ts'
import type { ApplicationKind } from './application-kind.ts'
import { fileOperations } from './files/operations.ts'
import { itemOperations } from './items/operations.ts'
import { submissionOperations } from './submissions/operations.ts'

/** Everything that can be done under an application of a kind. */
export function questionnaireOperations(kind: ApplicationKind): Operation[] {
  return [...answerOperations(kind), ...itemOperations(kind), ...fileOperations(kind), ...submissionOperations(kind)]
}

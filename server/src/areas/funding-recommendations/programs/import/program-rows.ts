// A record of a file as a programme: checked like the body of a request, in the form in which it is stored.
import { maximumDetails } from '../../../../platform/protocol/errors.ts'
import { checkAgainst, type Problem } from '../../../../platform/protocol/validation.ts'
import { blankContent, changedContent, type ProgramContent } from '../content.ts'
import { programProblems } from '../rules-check.ts'
import { ProgramRow } from '../schema.ts'
import type { ProgramState } from '../states.ts'
import type { RecordProblem } from './file-records.ts'

interface ImportedProgram {
  external_reference: string
  /** Undefined: the one it has, or draft for a new programme. */
  status: ProgramState | undefined
  content: ProgramContent
}

const checkRow = checkAgainst(ProgramRow)

export function readProgram(value: unknown): ImportedProgram | { problems: RecordProblem[] } {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return { problems: [{ pointer: '', code: 'invalid_type', message: 'A programme must be a JSON object.' }] }
  const problems = checkRow(value)
  if (problems.length > 0) return { problems: shown(problems) }
  const { external_reference, status, ...said } = value as ProgramRow // safe because it has just passed the schema
  const { opens_on = null, closes_on = null } = said
  const found = programProblems(said, { opens_on, closes_on })
  if (found.length > 0) return { problems: shown(found) }
  return { external_reference, status, content: changedContent(blankContent, said) }
}

function shown(problems: readonly Problem[]): RecordProblem[] {
  return problems.slice(0, maximumDetails).map(({ pointer, code, message }) => ({
    pointer: pointer.slice(0, 300),
    code,
    message,
  }))
}

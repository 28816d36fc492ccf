// Facts are what sources know, under canonical names such as `business.legal_name`; questions ask for them by `maps_to`.
import type { AutofillSourceName, GroupedQuestion, Question } from '../contracts/contract-schema.ts'

export interface Fact {
  /** The canonical name. */
  fact: string
  /** A typed value, or a text as it was found. */
  value: unknown
  source: AutofillSourceName
  /** The record, or the place in a document. */
  reference: string | null
  confidence: number
  /** Facts of one person or thing of a list have the same row. */
  row?: number
  /** Where a document says it, and of what time it is. */
  evidence?: { page: number; line: number; words: string; period: string | null }
  /** The last day of that time: of two values the newer one counts. */
  period_end?: string
  /** It was the answer to a question that is restricted. */
  is_restricted?: boolean
}

type Sensitive = Pick<Question, 'sensitivity'>

export function isRestricted(question: Sensitive, group?: Sensitive): boolean {
  return question.sensitivity === 'restricted' || group?.sensitivity === 'restricted'
}

/** Whether a question asks for a fact. What was answered under seal is not written where it would be open. */
export function isAskedBy(
  { fact, is_restricted = false }: Fact,
  question: Sensitive & { maps_to?: string },
  group?: Sensitive,
): boolean {
  return fact === question.maps_to && (!is_restricted || isRestricted(question, group))
}

/** What could not be looked at. */
export interface SourceProblem {
  source: AutofillSourceName
  reference: string | null
  code: string
  message: string
}

export interface Gathered {
  facts: Fact[]
  problems: SourceProblem[]
  /** Something was looked at, whether or not anything was found. */
  has_looked?: boolean
}

/** The sources a question may be filled from: its own, or those of its group. */
export function sourcesOf(
  question: Question | GroupedQuestion,
  group: Question | undefined,
  asked: ReadonlySet<string>,
): Set<AutofillSourceName> {
  const allowed = question.autofill?.sources ?? group?.autofill?.sources ?? []
  return new Set(allowed.filter((source) => asked.has(source)))
}

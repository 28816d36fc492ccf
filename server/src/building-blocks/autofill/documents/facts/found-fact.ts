/** A fact of a document with its evidence, for a person to check. */
export interface FoundFact {
  fact: string
  /** Amounts as `USD -3204.77`, dates as `2025-03-31`, everything else as written. */
  text: string
  /** 0 to 1: how often values like this one are right. */
  confidence: number
  page: number
  line: number
  /** The line it stands in. */
  words: string
  /** What the document says of the time the value is of. */
  period?: string
  /** The last day of that time: of two values the newer one counts. */
  period_end?: string
  /** Which person, from 1, for owner facts. */
  row?: number
}

export interface FoundFact {
  fact: string
  /** As written in the document. */
  text: string
  /** 0 to 1. */
  confidence: number
  /** For people: 'page 2, line 14'. */
  place: string
  /** Which person, from 1, for owner facts. */
  row?: number
  /** The document gives this amount in thousands (1000) or millions. */
  scale?: number
}

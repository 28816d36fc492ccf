import type { Period } from './periods.ts'
import type { Place } from './places.ts'

/** Why a reading is not believed without a person. */
export type Doubt =
  /** The label often means something else, or has words around it that nobody knows. */
  | 'label'
  /** It stands in a sentence. */
  | 'prose'
  /** `about`, `between`, `up to`. */
  | 'range'
  /** Several numbers may be meant, or the number may be read in two ways. */
  | 'number'
  /** Nothing says that the figure is one of a full year that is over. */
  | 'period'
  /** It may be somebody else's. */
  | 'owner'

/** What a place in a document says, before it is compared with other places. */
export interface Reading {
  fact: string
  /** As later stages read it: amounts as `USD -3204.77`, dates as `2025-03-31`, everything else as written. */
  value: string
  label: string
  doubts: Doubt[]
  /** The label is only `likely`, but counts where no fuller one stands. */
  is_plain?: boolean
  /** The label says that it is the sum of others. */
  is_total?: boolean
  /** The balance of an account that somebody else is named above. */
  is_below_other?: true
  period?: Period
  place: Place
}

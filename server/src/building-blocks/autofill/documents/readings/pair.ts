// A label with what stands beside, behind or below it.
import type { Cell, Line } from '../formats/document-text.ts'
import type { ReadLabel } from './labels.ts'
import type { PlacedLine } from './places.ts'

export interface Pair {
  labels: readonly ReadLabel[]
  label_text: string
  line: PlacedLine
  /** The line that holds the first value. */
  value_line: PlacedLine
  cell: Cell
  values: Line
  /** What stands before a label in the middle of its cell. */
  before?: string
  /** `inline`: behind the label without anything between them, as in a sentence. */
  relation: 'behind' | 'beside' | 'below' | 'field' | 'inline'
  page: number
  index: number
}

/** Before it is known where on its page it stands. */
export type FoundPair = Omit<Pair, 'page' | 'index'>

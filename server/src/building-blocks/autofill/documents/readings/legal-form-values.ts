// What the label of a legal form is followed by: a ticked box, a name of a form, or something else.
import { isLegalForm, legalFormIn } from '../../legal-form-names.ts'
import type { Line } from '../formats/document-text.ts'
import { wordsOf } from '../words/phrases.ts'
import { legalForms } from '../words/vocabulary.ts'
import { hasBoxes, tickedIn } from './choices.ts'
import type { Pair } from './pair.ts'
import type { ReadDocument } from './places.ts'
import type { Doubt } from './reading.ts'
import { shortText } from './short-texts.ts'

export interface FoundValue {
  value: string
  doubts: Doubt[]
}

export function legalFormValue(document: ReadDocument, pair: Pair, likely: Doubt[]): FoundValue | undefined {
  const found = formValue(pair, isLegalForm(bareForm(pair.values[0]?.text.trim() ?? '')) ? [] : likely)
  if (!found) return undefined
  const isTicked = [pair.cell, ...pair.values].some(({ text }) => hasBoxes(text))
  const value = localForm(found.value, document, isTicked)
  // What no list of forms has may be anything.
  const isKnown = legalFormIn(value) !== undefined || legalForms.in(wordsOf(value)) !== undefined
  return { value, doubts: isKnown ? found.doubts : [...found.doubts, 'label'] }
}

/** A ticked box, or the words behind the label; boxes without a tick say nothing. */
function formValue({ values, relation, cell, value_line }: Pair, likely: Doubt[]): FoundValue | undefined {
  const all = values.map((value) => value.text).join(' ')
  const boxes = hasBoxes(all) ? all : hasBoxes(cell.text) ? `${cell.text} ${all}` : undefined
  if (boxes !== undefined) {
    const value = tickedIn(boxes)
    return value === undefined ? undefined : { value, doubts: [] }
  }
  const marked = markedOf(value_line.cells)
  if (marked !== undefined) return marked === '' ? undefined : { value: marked, doubts: [] }
  // A row of choices of which none is marked.
  const choices = value_line.cells.filter(({ text }) => legalFormIn(text) !== undefined)
  if (values.length > 2 || choices.length > 2) return undefined
  const value = shortText(values[0]?.text ?? '')
    ?.replace(/^\d{1,4}\s?[–-]\s/, '')
    .split(/[,;]|(?<=\p{L}{4})\.\s/u)[0]
  if (value === undefined) return undefined
  return { value, doubts: relation === 'inline' ? [...likely, 'prose'] : likely }
}

/** `SA: 01011 | SL: 01012 | X`: of forms with the numbers of their boxes, the one before the cross; empty where none has one. */
function markedOf(cells: Line): string | undefined {
  const choices = cells.map(({ text }) => /(?:^|:\s?)(\p{L}[\p{L}. ]{0,20}):\s?\d{4,6}$/u.exec(text.trim())?.[1])
  if (choices.filter((choice) => choice !== undefined).length < 2) return undefined
  return choices.find((_, at) => /^x$/i.test(cells[at + 1]?.text.trim() ?? '')) ?? ''
}

/** `S corporation (Virginia)`: what is a form and nothing else needs no label. */
function bareForm(text: string): string {
  return text.replace(/\([^()]*\)\s*$/, '').trim()
}

/**
 * A limited liability company is an LLC in the United States and where they have shaped the law; elsewhere it is limited, and
 * so is what a form has a box for as `Company` beside `Partnership`.
 */
export function localForm(value: string, { country, pages }: ReadDocument, isTicked: boolean): string {
  const form = wordsOf(value).join(' ')
  // `Best Bread PLC`, `limited by guarantee`: companies of other kinds.
  const isOther = () =>
    pages[0]?.lines.some(({ text }) => /\b(?:plc|clg|unlimited company|limited by guarantee)\b/i.test(text))
  const isPlain = form === 'limited liability company' || (isTicked && form === 'company' && !isOther())
  return isPlain && country !== null && limitedCountries.has(country) ? 'Limited company' : value
}

const limitedCountries = new Set(['GB', 'IE', 'NZ', 'AU', 'ZA', 'SG', 'HK', 'IN', 'MT', 'CY'])

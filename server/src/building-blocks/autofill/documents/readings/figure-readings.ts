// What a number beside or below a label becomes: an amount with its unit and scale, or a count, and what is doubtful in it.
import type { Cell } from '../formats/document-text.ts'
import { isMonthOfDate, periods, signs } from '../words/figure-words.ts'
import { wordsOf } from '../words/phrases.ts'
import { accountBalances, grossResults, isMisled, proseWords, resultWords, totalWords } from '../words/vocabulary.ts'
import type { Column, PageHeadings } from './columns.ts'
import type { Names } from './company-names.ts'
import { negated, toCents } from './decimals.ts'
import type { ReadLabel } from './labels.ts'
import { type FoundNumber, isVague, isVagueLabel } from './numbers.ts'
import type { Pair } from './pair.ts'
import type { Period } from './periods.ts'
import { ownerOfPlace } from './place-owners.ts'
import { type PlacedLine, placeOf, type ReadDocument } from './places.ts'
import type { Doubt, Reading } from './reading.ts'
import { currencyIn } from './units.ts'

export interface Context {
  document: ReadDocument
  headings: PageHeadings
  /** The one currency the whole document uses. */
  currency: string | undefined
  pair: Pair
  /** Those of the subject. */
  names: Names
  isBoxNumber: (cell: Cell) => boolean
}

export function doubtsOf({ pair }: Context, label: ReadLabel, cell: Cell, number: FoundNumber): Doubt[] {
  const doubts: Doubt[] = []
  if (!label.is_exact || label.certainty === 'likely') doubts.push('label')
  const around =
    pair.relation === 'inline' || pair.relation === 'behind' ? `${pair.label_text} ${cell.text}` : cell.text
  const words = wordsOf(around)
  const rest = wordsOf(`${cell.text.slice(0, number.begin)} ${cell.text.slice(number.end)}`)
  const isProse = words.some((word, at) => proseWords.has(word) && !isMonthOfDate(words, at))
  if (isProse || rest.length > 6) doubts.push('prose')
  // `12 (planned`, and `currently: 7)` behind it
  if (periods.plan.in(rest) !== undefined) doubts.push('period')
  // `£1,204,500 including VAT`, `71.840 Euro vor Steuern`
  const behind = wordsOf(cell.text.slice(number.end))
  const isTaxed = taxed.has(label.fact) && isMisled(label.fact, behind, behind.length, 0)
  if (isTaxed) doubts.push('number')
  // What follows the first sentence of a label is how to fill it in.
  const [named = ''] = pair.label_text.split('. ')
  if (isVague(cell.text) || isVagueLabel(named)) doubts.push('range')
  // Thousands in Chile, millions in Québec.
  const isEitherScale = /(?<!\p{L})M\$/u.test(pair.label_text)
  if (number.is_unclear || isEitherScale || isPerhapsLoss(pair.label_text, number)) doubts.push('number')
  return doubts
}

const taxed = new Set(['business.annual_revenue', 'business.annual_profit'])

/** `Result (loss): 18,430` is none; `Profit (loss)` tells how losses are written. */
function isPerhapsLoss(label: string, { value }: FoundNumber): boolean {
  const inside = wordsOf(/\(([^()]{3,20})\)\s*$/.exec(label)?.[1] ?? '')
  const isLoss = inside.length > 0 && signs.negative.has(inside.join(' '))
  return isLoss && !value.startsWith('-') && wordsOf(label).some((word) => resultWords.has(word))
}

export function reading(
  { document, headings, pair, currency, names }: Context,
  label: ReadLabel,
  number: FoundNumber,
  line: PlacedLine,
  period: Period | undefined,
  doubts: Doubt[],
  column?: Column,
): Reading {
  const isRest = label.fact === 'business.annual_revenue' && label.is_plain && isRestOfSales(document, pair)
  const base = {
    fact: label.fact,
    label: pair.label_text.trim(),
    is_plain: label.is_plain && label.is_exact && !isRest,
    is_total: totalWords.in(wordsOf(pair.label_text)) !== undefined && !isRest,
    place: placeOf(line),
    ...(isBalanceOfOther(document, pair, label, names) && { is_below_other: true as const }),
    ...(period && { period }),
  }
  if (label.fact === 'business.employee_count') {
    const isCount = /^\d{1,6}(\.0+)?$/.test(number.value) && number.currency === undefined
    return { ...base, value: number.value.replace(/\.0+$/, ''), doubts: isCount ? doubts : [...doubts, 'number'] }
  }
  const scale = number.is_scaled ? 1 : (column?.scale ?? headings.scaleAt(pair.index, pair.label_text))
  // `Opening balance £6,204.11 | Closing balance £3,412.88` and `overdrawn`: it goes on with the last.
  const isBelow = label.fact === 'business.bank_balance' && isOverdrawnBelow(document, pair)
  const isLast = (pair.values.at(-1)?.left ?? 0) >= (pair.value_line.cells.at(-1)?.left ?? 0)
  // `Solde créditeur` in a column of debits is none.
  const isCredit = wordsOf(pair.label_text.replace(/\([^()]*\)/g, ' ')).some((word) => signs.positive.has(word))
  const isDebit =
    !isCredit && label.fact === 'business.bank_balance' && (column?.is_debit === true || (isBelow && isLast))
  const amount = toCents(label.is_loss || isDebit ? negated(number.value) : number.value, scale)
  const unit = number.currency ?? column?.currency ?? currencyIn(pair.label_text) ?? currency
  // Nobody writes cents of thousands; and thousands that were not understood make a small figure of a large one.
  const isScaleUnclear =
    (scale > 1 && /\d{6}\.\d\d$/.test(number.value)) ||
    (scale > 1 && column?.scale === undefined && headings.isScaleOfPart(pair.index)) ||
    (scale === 1 && !number.is_scaled && column?.scale === undefined && headings.may_be_scaled)
  return {
    ...base,
    value: unit === undefined ? amount : `${unit} ${amount}`,
    doubts: isScaleUnclear || (isBelow && !isLast) ? [...doubts, 'number'] : doubts,
  }
}

/** `Total income. Add lines 3 through 5` of a return, or below its gross profit: what is left of the sales, and more. */
function isRestOfSales({ pages }: ReadDocument, { page, index, label_text }: Pair): boolean {
  if (/\b(?:(?:add|combine|sum of) lines? \d|line \d{1,2}[a-z]?\))/i.test(label_text)) return true
  if (totalWords.in(wordsOf(label_text)) === undefined) return false
  const above = pages[page]?.lines.slice(Math.max(0, index - fewLines), index) ?? []
  return above.some(({ cells }) => cells.slice(0, 3).some(({ text }) => isGrossResult(text)))
}

const fewLines = 12

/** `Guarantor: Bob Ray`, and below it `Bank balance on 31 October 2026`. */
function isBalanceOfOther(document: ReadDocument, pair: Pair, { fact }: ReadLabel, names: Names): boolean {
  if (fact !== 'business.bank_balance' || accountBalances.at(wordsOf(pair.label_text), 0) === undefined) return false
  return ownerOfPlace(document, pair.page, pair.index - 1, pair.cell.left, names, true) === 'other'
}

function isGrossResult(text: string): boolean {
  return text.length <= 60 && grossResults.at(wordsOf(text.replace(/^\d{1,2}[a-z]?\s/, '')), 0) !== undefined
}

/** `(overdrawn)` in a line of its own. */
function isOverdrawnBelow({ pages }: ReadDocument, { page, value_line }: Pair): boolean {
  const below = pages[page]?.lines[value_line.number]
  return below?.cells.length === 1 && signs.negative.has(wordsOf(below.text).join(' '))
}

// Labels and what stands beside, behind or below them. Nothing is decided here about what the values mean.
import { isLegalForm } from '../../legal-form-names.ts'
import type { Cell, Line } from '../formats/document-text.ts'
import { fold, wordsOf } from '../words/phrases.ts'
import { isMisled, labels as labelPhrases } from '../words/vocabulary.ts'
import {
  asksForNumber,
  isCaptionRow,
  isNamedHouse,
  isNumbered,
  isOverFields,
  isOverForm,
  isShoutedCaption,
  isSureAddress,
  withoutNumber,
} from './captions.ts'
import { datesIn } from './dates.ts'
import { colonOf, hasNumber, isLabelCell, isLink } from './label-cells.ts'
import { isLabel, type ReadLabel, readLabel } from './labels.ts'
import { fieldOfHeader } from './person-names.ts'
import { overlap, type PlacedLine, type ReadDocument } from './places.ts'

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

export function pairsOf({ pages }: ReadDocument): Pair[] {
  return pages.flatMap(({ lines }, page) =>
    lines.flatMap((line, index) =>
      line.cells.flatMap((_, position): Pair[] => {
        const found = pairAt(lines, index, position)
        return found.map((pair) => ({ ...pair, page, index }))
      }),
    ),
  )
}

type FoundPair = Omit<Pair, 'page' | 'index'>

function pairAt(lines: readonly PlacedLine[], index: number, position: number): FoundPair[] {
  const line = lines[index]
  const cell = line?.cells[position]
  if (!line || !cell) return []
  const found: FoundPair[] = []
  const of = (pair: Omit<FoundPair, 'line' | 'cell' | 'value_line'> & { value_line?: PlacedLine }) =>
    found.push({ line, cell, value_line: line, ...pair })
  if (cell.field !== undefined) {
    const labels = readLabel(cell.field)
    if (labels.length > 0) of({ labels, label_text: cell.field, values: [cell], relation: 'field' })
  }
  const colon = colonOf(cell.text)
  const labelText = colon === -1 ? cell.text : cell.text.slice(0, colon)
  const labels = hasNumber(labelText) ? [] : readLabel(labelText).filter(({ fact }) => !holdsDay(fact, labelText))
  // `Tipo de vialidad: | CALLE`: what stands behind a colon is no label of a street.
  const isPart = cell.text.trim().endsWith(':') && labels.length > 0 && labels.every(isPartOfAddress)
  const beside = valuesRight(line.cells, position, isPart)
  // A caption beside another caption: what has to hold digits stands below it.
  const next = beside[0]?.text ?? ''
  // `City: | Bend | State: | OR`: what follows a colon is its value.
  const isAsked = isPart && next !== ''
  const isCaption =
    labels.length > 0 &&
    !isAsked &&
    !(beside[0]?.field !== undefined && cell.field === undefined) &&
    // `Province 016 | SK`
    !(/^[A-Z]{2,3}$/.test(next) && /\d{3}$/.test(cell.text) && labels.every(isPartOfAddress)) &&
    (labels.some(({ fact }) => wordFacts.has(fact))
      ? (isNumbered(cell.text) && isNumbered(next)) ||
        asksForNumber(next) ||
        next.trim().endsWith('?') ||
        fieldOfHeader(next) === 'ownership_percent' ||
        /^(?:date|datum|fecha)\s(?!\d)/i.test(next) ||
        isShoutedCaption(lines, index, position) ||
        isOverFields(lines, index, position) ||
        isCaptionRow(lines, index) ||
        isOverForm(lines, index, position, labels)
      : (!/[\d@]|www|\p{L}\.\p{L}{2}/u.test(withoutNumber(next, cell.text)) ||
          (labels.some(({ fact }) => yearlyFacts.has(fact)) && isNamedYear(next))) &&
        !(labels.every(isSureAddress) && isNamedHouse(lines, index, beside[0])))
  // `GESCHÄFTSANSCHRIFT | 6 | Industriestraße 29`: the number of the entry.
  // `Rechtsform | 103 | Einzelunternehmen`, `Street | 011 | 12 Old Road`: the number of the box.
  const isForm = labels.some(({ fact }) => fact === 'business.legal_form')
  const isEntry =
    beside.length > 1 &&
    ((/^01[1-8]$/.test(next) && labels.every(isPartOfAddress)) ||
      ((isForm ? /^(?:\d{1,3}|[A-Z])$/ : /^\d{1,2}$/).test(next) && labels.some(({ fact }) => enteredFacts.has(fact))))
  if (isEntry) beside.shift()
  const right = isCaption
    ? beside.filter(({ text }) => /\d/.test(text) && beside.length > 1 && amountLike(text))
    : beside
  if (labels.length > 0 && colon !== -1) {
    const rest = cutAtLabel(cell.text.slice(colon + 1).trim())
    if (rest !== '') {
      // `Head office: street and number`: the second part is a label too.
      const own = right.length > 0 ? readLabel(rest).filter((label) => label.is_exact) : []
      if (own.length > 0)
        return [{ labels: own, label_text: rest, values: right, line, cell, value_line: line, relation: 'beside' }]
      const inner = innerLabel(labels, rest)
      if (inner) return [{ ...inner, line, cell, value_line: line, relation: 'behind' }]
      of({ labels, label_text: labelText, values: [{ ...cell, text: rest }, ...right], relation: 'behind' })
      found.push(...pairsInSentences(line, cell, rest))
      // The rest may be the next label and its value.
      const more = cell.text
        .slice(colon + 1)
        .trim()
        .slice(rest.length)
        .trim()
      return more === '' ? found : [...found, ...pairsInText(line, cell, more)]
    }
  }
  const isWhole = labels.some(({ is_exact }) => is_exact)
  if (labels.length > 0 && right.length > 0) of({ labels, label_text: labelText, values: right, relation: 'beside' })
  else if (isWhole) {
    const below = valuesBelow(lines, index, cell, labels)
    const around = below || colon !== -1 ? undefined : valueAround(lines, index, position)
    if (around) of({ labels, label_text: labelText, relation: 'beside', values: [around] })
    if (below) of({ labels, label_text: labelText, relation: 'below', ...below })
  }
  if ((colon === -1 || labels.length === 0) && found.length === 0 && !(isWhole && right.length > 0)) {
    const inline = inlineValue(position === line.cells.length - 1 ? runningOn(cell, lines[index + 1]) : cell)
    if (inline) of({ ...inline, relation: 'inline', values: [...inline.values, ...goingOn(inline.values, right)] })
    if (inline) found.push(...pairsInSentences(line, cell, inline.values[0]?.text ?? ''))
  }
  return found
}

/** `Ending balance $51,093.66 | Average balance $49,870.02`: behind an amount, words begin something else. */
function goingOn(values: Line, right: Line): Line {
  const hasAmount = values.some(({ text }) => /^[^\p{L}]*\d/u.test(text))
  const end = hasAmount ? right.findIndex(({ text }) => /^\p{L}{3}/u.test(text)) : -1
  return end === -1 ? right : right.slice(0, end)
}

/** What a register numbers its entries of. */
const enteredFacts = new Set(['business.legal_name', 'business.legal_form', 'business.registered_address'])

function isPartOfAddress({ fact }: ReadLabel): boolean {
  return fact.startsWith('address.')
}

/** Facts that are words: everything else holds a digit, an @ or a dot. */
const wordFacts = new Set(['business.legal_name', 'business.trading_name', 'business.legal_form'])

/** What is said of a year, and not of a day. */
const yearlyFacts = new Set(['business.annual_revenue', 'business.annual_profit', 'business.employee_count'])

/** `Planumsatz 2026` is the caption of the next box. */
function isNamedYear(text: string): boolean {
  return /^\p{L}{4}[\p{L} .-]*\s(?:19|20)\d\d\s?\*?$/u.test(text)
}

function amountLike(text: string): boolean {
  return /^[\s($£€-]*\d[\d.,' ]*[)%-]?\s*\p{L}{0,4}$/u.test(text)
}

function pairsInText(line: PlacedLine, cell: Cell, text: string): FoundPair[] {
  const colon = colonOf(text)
  const labels = colon === -1 ? [] : readLabel(text.slice(0, colon))
  const rest = cutAtLabel(text.slice(colon + 1).trim())
  if (labels.length === 0 || rest === '') return []
  const pair: FoundPair = {
    labels,
    label_text: text.slice(0, colon),
    values: [{ ...cell, text: rest }],
    relation: 'behind',
    line,
    cell,
    value_line: line,
  }
  const next = text
    .slice(colon + 1)
    .trim()
    .slice(rest.length)
    .trim()
  return next === '' || next.length >= text.length ? [pair] : [pair, ...pairsInText(line, cell, next)]
}

/** `Registered office: 14 Mill Road, Cork. VAT No. IE1234567A.`: each sentence behind the first may begin with a label. */
function pairsInSentences(line: PlacedLine, cell: Cell, text: string): FoundPair[] {
  const ends = [...text.slice(0, 400).matchAll(/(?<=[\p{L}\d]{2})\.\s+(?=\p{Lu})/gu)]
  const found: FoundPair[] = []
  for (const { index, 0: end } of ends) {
    const sentence = text.slice(index + end.length, index + end.length + 120)
    const inline = inlineValue({ ...cell, text: sentence }, longestIntroduction)
    // `No. IE…` and the like are no sentences of their own.
    if (!inline && /(?:^|\s)\p{L}{1,3}$/u.test(text.slice(0, index))) continue
    // Whatever is no number of a register ends the list: what follows may be somebody else's.
    if (!inline?.labels.every(({ fact, is_exact }) => numberFacts.has(fact) && is_exact)) break
    found.push({ ...inline, line, cell, value_line: line, relation: 'inline', before: text.slice(0, index) })
  }
  return found
}

const numberFacts = new Set(['business.tax_id', 'business.registration_number'])
/** `Registered in England and Wales, company no. …` */
const longestIntroduction = 40

/** `was formed on July 8, 2013` has its value in it. */
function holdsDay(fact: string, text: string): boolean {
  return fact === 'business.founded_on' && datesIn(text).some(({ day, year }) => day !== undefined && year > 0)
}

function valuesRight(cells: Line, position: number, isPart: boolean): Line {
  const values: Line = []
  const right = cells.slice(position + 1)
  for (const [index, cell] of right.entries()) {
    const isKind = isPart && index === 0 && !cell.text.includes(':') && /^\p{Lu}+$/u.test(cell.text)
    if (isLabelCell(cell) && !isKind) break
    // `318,902 | 7 | Income recorded on books`: the number of a line in the next column.
    const isNumber = values.length > 0 && /^\d{1,2}[a-z]?$/.test(cell.text) && cell.field === undefined
    if (isNumber && /^\p{L}{2,}\s\p{L}/u.test(right[index + 1]?.text ?? '')) break
    // `Net result | -38,650 | Equity | 611,200`: words between two amounts are the next label.
    const isWords = /^\p{L}{4}/u.test(cell.text) && !/\d/.test(cell.text) && cell.field === undefined
    if (isWords && values.some(({ text }) => amountLike(text)) && amountLike(right[index + 1]?.text ?? '')) break
    values.push(cell)
  }
  return values
}

/** A value in two lines, one above and one below the line of its label: tables of web pages set labels in the middle. */
function valueAround(lines: readonly PlacedLine[], index: number, position: number): Cell | undefined {
  const cell = lines[index]?.cells[position]
  const [above, below] = [lines[index - 1]?.cells ?? [], lines[index + 1]?.cells ?? []]
  if (!cell) return undefined
  const isRight = (one: Cell) => one.left > cell.right
  const [first, last] = [above.find(isRight), below.find(isRight)]
  const isLone = [...above, ...below].every((one) => overlap(one, cell) === 0 && one.left > cell.left)
  if (!first || !last) return undefined
  const isBeside = (one: Cell) => Math.abs(one.left - first.left) <= 2
  // Of a longer block, these two lines are not all.
  // A line with a label of its own is none of them.
  const goesOn = (offset: number) => {
    const cells = lines[index + offset]?.cells ?? []
    return cells.some(isBeside) && !(offset !== 0 && cells.some((one) => one.right < first.left && isLabel(one.text)))
  }
  const isLonger = [-2, 0, 2].some(goesOn)
  if (!isBeside(last) || isLonger || !isLone || isLabel(first.text) || isLabel(last.text)) return undefined
  return { ...first, text: `${first.text} ${last.text}`, right: Math.max(first.right, last.right) }
}

/** What stands below a caption: of a form, so that captions and values take turns. */
function valuesBelow(
  lines: readonly PlacedLine[],
  index: number,
  cell: Cell,
  labels: readonly ReadLabel[],
): { values: Line; value_line: PlacedLine } | undefined {
  let empty = 0
  // `Company (Pty Ltd)` begins as a label does.
  const isForm = ({ text }: Cell) => isLegalForm(text) && labels.some(({ fact }) => fact === 'business.legal_form')
  for (const line of lines.slice(index + 1, index + 5)) {
    if (line.cells.length === 0) {
      if (++empty > 1) return undefined
      continue
    }
    const below = line.cells.filter((other) => overlap(cell, other) > 0 || Math.abs(other.left - cell.left) <= 6)
    if (below.length === 0) continue
    if (below.some((one) => isLabelCell(one) && !isForm(one))) return undefined
    // The caption runs on.
    if (below.every(({ text, field }) => field === undefined && /^\p{Ll}[^\d@]*$/u.test(text) && !isLink(text)))
      continue
    return { values: below, value_line: line }
  }
  return undefined
}

/** `Company No. 01234567`, `trading as Best Bread`: a label in a text, and what follows it. */
function inlineValue(
  { text, left, right }: Cell,
  introduction = 8,
): { labels: readonly ReadLabel[]; label_text: string; values: Line } | undefined {
  if (text.length > 400) return undefined
  const places = [...text.matchAll(/[\p{L}\p{N}]+/gu)]
  const words = places.map(([word]) => wordsOf(word)[0] ?? fold(word))
  for (let begin = 0; begin < words.length; begin++) {
    const found = labelPhrases.at(words, begin)
    if (!found) continue
    const last = places[begin + found.length - 1]
    const from = places[begin]?.index ?? 0
    if (!last) continue
    const end = last.index + last[0].length
    const rest = text.slice(end).replace(/^[\s:.#,)–-]+(?=\S)/u, (gap) => (gap.includes('(') ? gap : ''))
    if (!/[\p{L}\p{N}]/u.test(rest)) return undefined
    // `Anschrift der Wohnung`: the label goes on.
    const isAddress = found.meaning.some(({ fact }) => fact === 'business.registered_address')
    if (isAddress && /^(?:der|des) \p{Lu}/u.test(rest)) return undefined
    // The words before decide whether this is a label with a line number or a part of a sentence.
    const labels = readLabel(text.slice(0, end))
      // `calle Mayor 3` is an address, not a form that asks for the street.
      .filter(
        ({ fact }) => !isMisled(fact, words, begin, found.length) && !(fact.startsWith('address.') && found.length < 3),
      )
      .map((label) => ({ ...label, is_exact: label.is_exact && from <= introduction }))
    if (labels.length > 0)
      return { labels, label_text: text.slice(0, end), values: [{ text: cutAtLabel(rest), left, right }] }
  }
  return undefined
}

/** A long line that ends in `company no.`: the number begins the next one. */
function runningOn(cell: Cell, next: PlacedLine | undefined): Cell {
  const number = /^[A-Z]{0,2}\d{5,}(?=[\s.,]|$)/.exec(next?.cells[0]?.text ?? '')?.[0]
  const isLong = cell.text.length > 60 && cell.text.length < 300
  const words = wordsOf(cell.text).slice(-4)
  const isAsked = words.some((_, at) => at + (labelPhrases.at(words, at)?.length ?? 0) === words.length)
  return isLong && number !== undefined && isAsked ? { ...cell, text: `${cell.text} ${number}` } : cell
}

/** `Register: Folio 12345, …`: the second label says what the number is. */
function innerLabel(
  outer: readonly ReadLabel[],
  text: string,
): Pick<Pair, 'labels' | 'label_text' | 'values'> | undefined {
  const inner = inlineValue({ text, left: 0, right: 0 })
  const [fact] = outer.map((label) => label.fact)
  if (!inner || !text.startsWith(inner.label_text)) return undefined
  return inner.labels.some((label) => label.fact === fact && label.certainty === 'sure') ? inner : undefined
}

/** `Acme Ltd Company number: 0123`: the value ends where the next label with a colon begins. */
function cutAtLabel(text: string): string {
  const colon = colonOf(text)
  if (colon <= 0) return text
  const last = [...text.slice(0, colon).matchAll(/[\p{L}\p{N}]+/gu)].slice(-6)
  const words = last.map(([one]) => wordsOf(one)[0] ?? '')
  for (const [index, word] of last.entries()) {
    const found = labelPhrases.at(words, index)
    if (found && index + found.length === words.length) return text.slice(0, word.index).trim()
  }
  // `43700 Brives Durée de l’exercice : 12`: one capital and small words before a colon are a label, known or not.
  const label = /\s\p{Lu}[\p{L}’']*(?:\s+\p{Ll}[\p{L}’'-]*){1,6}\s?$/u.exec(text.slice(0, colon))
  return label && /\d/.test(text.slice(0, label.index)) ? text.slice(0, label.index).trim() : text
}

// Labels and what stands beside, behind or below them. Nothing is decided here about what the values mean.
import { isLegalForm } from '../../legal-form-names.ts'
import type { Cell, Line } from '../formats/document-text.ts'
import {
  asksForNumber,
  isCaptionRow,
  isNamedHouse,
  isNumbered,
  isOfOtherColumn,
  isOverFields,
  isOverForm,
  isOverTown,
  isShoutedCaption,
  isSureAddress,
  withoutNumber,
} from './captions.ts'
import { datesIn } from './dates.ts'
import { colonOf, hasNumber, isLabelCell, isLink } from './label-cells.ts'
import { isLabel, type ReadLabel, readLabel } from './labels.ts'
import { cutAtLabel, inlineValue, innerLabel, pairsInSentences, pairsInText, runningOn } from './labels-in-text.ts'
import type { FoundPair, Pair } from './pair.ts'
import { fieldOfHeader } from './person-names.ts'
import { overlap, type PlacedLine, type ReadDocument } from './places.ts'

export function pairsOf({ pages }: ReadDocument): Pair[] {
  const pairs = pages.flatMap(({ lines }, page) =>
    lines.flatMap((line, index) =>
      line.cells.flatMap((_, position): Pair[] => {
        const found = pairAt(lines, index, position)
        return found.map((pair) => ({ ...pair, page, index }))
      }),
    ),
  )
  return withoutSecond(pairs)
}

/** A caption over its value in the same box is found twice: what the line of the caption says of it counts. */
function withoutSecond(pairs: readonly Pair[]): Pair[] {
  const below = new Map<Cell, string[]>()
  for (const { relation, values, labels } of pairs) {
    const [first] = values
    if (relation === 'below' && first?.is_boxed)
      below.set(
        first,
        labels.map(({ fact }) => fact),
      )
  }
  return pairs.filter(({ relation, cell, values, labels }) => {
    const facts = relation === 'field' && values[0] ? below.get(values[0]) : undefined
    return facts === undefined || cell === values[0] || !labels.every(({ fact }) => facts.includes(fact))
  })
}

function pairAt(lines: readonly PlacedLine[], index: number, position: number): FoundPair[] {
  const line = lines[index]
  const cell = line?.cells[position]
  if (!line || !cell) return []
  const found: FoundPair[] = []
  const of = (pair: Omit<FoundPair, 'line' | 'cell' | 'value_line'> & Partial<FoundPair>) =>
    found.push({ line, cell, value_line: line, ...pair })
  if (cell.field !== undefined) {
    const labels = readLabel(cell.field)
    const caption = captionOf(lines, index, cell)
    if (labels.length > 0) of({ labels, label_text: cell.field, values: [cell], relation: 'field', ...caption })
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
    // `015 | City | Digby`: behind the number of its box.
    !(/^\d{3}$/.test(line.cells[position - 1]?.text ?? '') && next !== '' && labels.every(isPartOfAddress)) &&
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
      : (isNumberBeside(labels, next) ||
          (labels.every(isPartOfAddress) && isNumbered(cell.text) && isOfOtherColumn(lines, index, position)) ||
          !/[\d@]|www|\p{L}\.\p{L}{2}/u.test(withoutNumber(next, cell.text)) ||
          (labels.some(({ fact }) => yearlyFacts.has(fact)) &&
            (isNamedYear(next) || isCaptionOverCount(lines, index, beside)))) &&
        !(
          labels.every(isSureAddress) &&
          (isNamedHouse(lines, index, beside[0]) || isOverTown(lines, index, beside[0]))
        ))
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
      const isSecond = (right.length > 0 || isAsPart(rest)) && !/\d/.test(rest)
      const own = isSecond ? readLabel(rest).filter((label) => label.is_exact) : []
      if (own.length > 0 && right.length > 0)
        return [{ labels: own, label_text: rest, values: right, line, cell, value_line: line, relation: 'beside' }]
      // `Principal place of business: street | City`, over their values.
      const below = own.length > 0 && labels.some(isSureAddress) ? valuesBelow(lines, index, cell, labels) : undefined
      if (below) return [{ labels, label_text: labelText, ...below, line, cell, relation: 'below' }]
      const inner = innerLabel(labels, rest)
      if (inner) return [{ ...inner, line, cell, value_line: line, relation: 'behind' }]
      const value = { ...cell, text: rest }
      of({ labels, label_text: labelText, values: [value, ...goingOn([value], right)], relation: 'behind' })
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

/** Where the name of a field is printed above it, if it is: whose field it is, is told by what stands around that. */
function captionOf(lines: readonly PlacedLine[], index: number, { field, left, right }: Cell) {
  for (const line of lines.slice(Math.max(0, index - mostAbove), index).reverse()) {
    const cell = line.cells.find(
      (one) =>
        one.left < right && one.right > left - nearField && one.text.length > 2 && field?.includes(one.text.trim()),
    )
    if (cell) return { line, cell }
  }
  return undefined
}

/** The caption of a box has at most so many lines, and begins at most so far to the left of what was filled in. */
const mostAbove = 4
const nearField = 120

/** `Ending balance $51,093.66 | Average balance $49,870.02`: behind an amount, words begin something else. */
function goingOn(values: Line, right: Line): Line {
  const hasAmount = values.some(({ text }) => /^[^\p{L}]*\d/u.test(text))
  const end = hasAmount ? right.findIndex(({ text }) => /^\p{L}{3}/u.test(text)) : -1
  return end === -1 ? right : right.slice(0, end)
}

/** `street`, in small letters: what is asked for, and no value. */
function isAsPart(text: string): boolean {
  return /^\p{Ll}[\p{Ll} /]{2,30}$/u.test(text)
}

/** What a register numbers its entries of. */
const enteredFacts = new Set(['business.legal_name', 'business.legal_form', 'business.registered_address'])

/** `Number, street, and suite | 34-7718206`: no street is a number alone. */
function isNumberBeside(labels: readonly ReadLabel[], next: string): boolean {
  return /^\d[\d-]{6,}\d$/.test(next) && labels.length > 0 && labels.every(({ fact }) => fact === 'address.street')
}

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

/** `Export sales, next 12 months (estimate)` over a figure of its own is none: it counts among its words. */
function isCaptionOverCount(lines: readonly PlacedLine[], index: number, [next, ...more]: Line): boolean {
  const text = next?.text ?? ''
  const isCounted =
    /^\p{L}{3,}\s(?:\p{L}+,?\s){0,8}\d{1,2}\s\p{L}{3,}/u.test(text) && !/\d{3}|\d[.,]\d|[$£€%]/.test(text)
  if (!next || !isCounted || more.some((cell) => amountLike(cell.text))) return false
  const below = lines.slice(index + 1, index + 4).flatMap(({ cells }) => cells)
  return below.some((cell) => overlap(cell, next) > 0 && amountLike(cell.text))
}

/** `7`, `4a`: what forms number their lines by. */
const lineNumber = /^\d{1,2}[a-z]?$/

function amountLike(text: string): boolean {
  return /^[\s($£€-]*\d[\d.,' ]*[)%-]?\s*(?:\p{L}{0,4}|[$£€])$/u.test(text)
}

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
    // `318,902 | 7 | Income recorded on books`, `1 | Ordinary income | 14 | Credits`: the number of a line in the next column.
    const isNumbered = values.length > 0 || (index === 0 && lineNumber.test(cells[position - 1]?.text ?? ''))
    const isNumber = isNumbered && lineNumber.test(cell.text) && cell.field === undefined
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

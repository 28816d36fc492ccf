// Cells as a reader sees them: what dots, bars, underscores and leaders keep apart are cells of their own, and a label that
// runs on in the next line is one label.
import type { Cell, Line } from '../formats/document-text.ts'
import { monthNames, periods } from '../words/figure-words.ts'
import { fold, wordsOf } from '../words/phrases.ts'
import { clauses, labels } from '../words/vocabulary.ts'
import { withoutCombs } from './combs.ts'
import { isWholeName } from './company-names.ts'
import { splitAtYear } from './figures-of-a-year.ts'
import { isLabel, readLabel } from './labels.ts'
import { withoutRepeatedNumber } from './numbered-lines.ts'
import { numbersIn } from './numbers.ts'

/** The cells of a line, split where the document draws a line between a label and what was filled in. */
export function splitCells(line: Line): Line {
  return withoutRepeatedNumber(withoutCombs(line))
    .map(captioned)
    .map(tidied)
    .flatMap(splitAtYear)
    .flatMap(splitAtDots)
    .flatMap(splitAtLabels)
    .flatMap(splitAtBlanks)
    .flatMap(splitAtAddresses)
    .flatMap(splitAtCodes)
    .flatMap(splitAtSpans)
    .flatMap(splitAtNextLine)
}

/** `Date incorporated` over `02/22/2011` in one cell of a table: the first line is the label of the others. */
function captioned(cell: Cell): Cell {
  const { lines = [], ...own } = cell
  if (lines.length < 2) return cell
  // `Employees` over `Turnover` are two, and what stands beside them may be either's.
  if (!isLabel(own.text) && lines.every(isLabel)) return { ...own, text: lines.join(' + ') }
  // `Business` over `number` are a label together.
  const isWhole = isLabel(own.text) && !/\d/.test(lines.at(-1) ?? '')
  const at = isWhole ? 0 : lines.findLastIndex((_, index) => isLabel(lines.slice(0, index).join(' ')))
  if (at <= 0) return cell
  const label = lines.slice(0, at).join(' ').trim().replace(/\s*:$/, '')
  return { ...own, text: `${label}: ${lines.slice(at).join(' ')}` }
}

/** `Phone | : 555 0100` has its colon in the wrong cell, and `£ 4310 · 00` its pence in a box of their own. */
function tidied(cell: Cell): Cell {
  const text = cell.text
    .replace(/^:\s+(?=\S)/, '')
    // `Mitarbeiter:innen` has no colon of a label.
    .replace(/(?<=\p{Ll}{3})[:*_](?:innen|in)(?!\p{L})/gu, '')
    // American returns say so from below, beside the box of the address.
    .replace(/^TYPE OR PRINT\s?(?=\p{Lu}{2})/u, '')
    .replace(aside, (whole, label) => (isLabel(label) ? `${label}: ` : whole))
    .replace(asked, (whole, label, parts) => (isAsking(parts) ? `${label} (${parts})` : whole))
    .replace(/(\d) ?[.·] (\d\d)(?!\d)$/, '$1.$2')
    .replace(clause, (whole, number, label) => (clauses.has(fold(number)) && isLabel(label) ? `${label}: ` : whole))
    .replace(dashBehindLabel, (whole, label) => (isNeverNegative(label) ? `${label}: ` : whole))
  return text === cell.text ? cell : { ...cell, text }
}

/** `Trade name (if any) Best Bread`: what was filled in follows what the form says of the label. */
const aside = /^(\p{Lu}[\p{L} ]{3,40}\((?:if any|if applicable|if different|not your trade name)\))\s+(?=[\p{Lu}\d])/u

/** `Seat: street, no, postcode, town` asks for them. */
const asked = /^([^:,\d]{2,40}?)\s?:\s+(\p{L}[^:\d]{5,60})$/u

function isAsking(parts: string): boolean {
  const asks = parts.split(/,\s/).map((part) => readLabel(part).some(({ fact }) => fact.startsWith('address.')))
  return asks.length > 2 && asks.filter(Boolean).length >= 2
}

/** `CUARTA. Domicilio social. Avenida 31 …`: the clauses of a deed. */
const clause = /^(\p{L}{5,9})\.\s([\p{L} ]{3,40})\.\s+(?=[\p{Lu}\d])/u

/** `No. of employees (incl. directors) – 23`: no minus. */
const dashBehindLabel = /^([^:–—]{2,60}[\p{L})])\s(?:--|[–—])\s(?=(?:[$£€]|[A-Z]{3}\s)?\d[^:–—]{0,30}$)/u

/** Behind `Profit` or `Balance` it may be one. */
function isNeverNegative(label: string): boolean {
  const meanings = labels.at(wordsOf(label), 0)?.meaning ?? []
  return meanings.length > 0 && meanings.every(({ fact }) => /\.(?:employee_count|annual_revenue)$/.test(fact))
}

/** `EIN: 12-3456789; Phone: 555 0100` and `… No. 07729103. Registered office: …`: what a colon tells apart. */
function splitAtLabels(cell: Cell): Line {
  if (cell.field !== undefined || !/[;.]\s+[^:;.]{2,40}:\s/.test(cell.text)) return [cell]
  // `Regd. Office: …` is one label.
  return parts(
    cell,
    /;\s+(?=[^:;]{2,40}:\s)|(?<=[\p{L}\d)]{2}|\d\s?[€$£])(?<!^\p{L}{1,5})\.\s+(?=\p{Lu}(?![^(:]{0,40}\))[^:;.]{2,40}:\s)/gu,
  )
}

/** `Lee Bakery Ltd – Tel. 0303 555 0100`, but not `Jan – Sep 2026`. */
const numberBehindDash = new RegExp(
  `\\s[–—]\\s(?!(?:${monthNames.join('|')})\\.?\\s*(?:[-–—\\d]|$))\\p{L}[^\\d]{0,40}\\d{3}`,
  'iu',
)

/** `First Bank · Tel. 0303 555 0100 | VAT 123`: what dots and bars keep apart are cells. */
function splitAtDots(cell: Cell): Line {
  const hasDashes = cell.text.replace(/\([^()]*\)/g, '').split(' – ').length > 2
  const isLabelled = numberBehindDash.test(cell.text)
  if (hasLabelledParts(cell.text)) return parts(cell, /\s\/\s/g)
  if (hasLabelsBehindDashes(cell)) return parts(cell, /\s[–—-]\s/g)
  if (!hasDashes && !isLabelled && !/\s[·|•]\s/.test(cell.text)) return [cell]
  return parts(cell, hasDashes || isLabelled ? /\s[·|•–—]\s/g : /\s[·|•]\s/g)
}

/** `Revenue 2025 $642,900 / EIN 12-3456789 / Staff 8` */
function hasLabelledParts(text: string): boolean {
  const told = text.split(' / ')
  if (told.length < 2 || text.length > 300) return false
  if (isOfAll(told[0] ?? '')) return false
  const [, ...more] = told.filter((part) => /\p{L}{2}/u.test(part) && /\d/.test(part))
  return more.some((part) => labels.at(wordsOf(part), 0) !== undefined)
}

/** `Turnover 2025: 642,300 - net profit 2025: 28,450`, `Staff: 7 - VAT 123 456 789`: a dash between fields, and no minus. */
function hasLabelsBehindDashes({ text, field }: Cell): boolean {
  const [first = '', ...more] = field === undefined && text.length <= 300 ? text.split(/\s[–—-]\s/) : []
  if (more.length === 0 || isOfAll(first)) return false
  const isField = (part: string) => {
    const meanings = labels.at(wordsOf(part), 0)?.meaning ?? []
    const isKnown = meanings.length > 0 && !meanings.some(({ fact }) => fact.startsWith('address.'))
    return /^\p{L}{2}/u.test(part) && /\d/.test(part) && (isKnown || (/^[^:]{2,40}:/.test(part) && first.includes(':')))
  }
  // `Branch: Leeds - turnover 2025: 122,000` tells of the branch.
  const [label = ''] = first.split(':', 1)
  const isName = isWholeName(first.slice(label.length + 1))
  const isOwn = readLabel(label).some(
    ({ fact, is_exact, is_plain, certainty }) =>
      is_exact && (is_plain || certainty === 'sure' || (fact === 'business.legal_name' && isName)),
  )
  return (first.includes(':') ? isOwn : isField(first)) && more.every(isField)
}

/** `Budget 2027 / Revenue 642,900`: what the first part says is of all of them. */
function isOfAll(first: string): boolean {
  const words = wordsOf(first)
  return [periods.plan, periods.part].some((phrases) => phrases.in(words) !== undefined)
}

/** `Name: _Lee Bakery____ City: _Leeds_` and `Gross receipts . . . . . 1a`. */
function splitAtBlanks(written: Cell): Line {
  // `(SARL, SAS, EURL…)` leaves out the others.
  const cell = written.text.includes('…)') ? { ...written, text: written.text.replaceAll('…)', ')') } : written
  if (cell.field !== undefined || !/_|\.{4}|(?:\. ){3}|…/.test(cell.text)) return [cell]
  return parts(cell, /(?<=\S)_+(?=\s|$)|(?<=^|\s|:)_+(?=\s|$)|(?:\s?\.){4,}|(?:\s?…)+/g).map((part) => ({
    ...part,
    text: part.text.replace(/(^|[\s:])_+(?=[^_\s])/g, '$1'),
  }))
}

/** `ann@example.com Number of employees`: behind an address, the next label. */
function splitAtAddresses(cell: Cell): Line {
  const [address] = (cell.field === undefined && /^\S{3,80}@\S{3,80}\s(?=\p{Lu})/u.exec(cell.text)) || []
  const isBefore = address !== undefined && isLabel(cell.text.slice(address.length))
  return isBefore ? parts(cell, /(?<=@\S{3,80})\s(?=\p{Lu})/gu) : [cell]
}

/** `4 035 229 FK`: the code of the next box. */
function splitAtCodes(cell: Cell): Line {
  const isCoded = cell.field === undefined && /^-?\d{1,3}(?: \d{3})+ [A-Z]{2}$/.test(cell.text)
  return isCoded ? parts(cell, /\s(?=[A-Z]{2}$)/g) : [cell]
}

/** `162,770 7 Add lines 5 and 6`, `2,418,930 b Less returns`: an amount, and the next line of the form. */
function splitAtNextLine(cell: Cell): Line {
  const isNext =
    cell.field === undefined && /^[\d,.()$-]*\d,\d{3}\)?\.?\s(?:\d{1,2}[a-z]?|[a-z])\s\p{Lu}\p{Ll}+\s/u.test(cell.text)
  return isNext ? parts(cell, /(?<=^\S+)\s(?=\d|[a-z]\s\p{Lu})/gu) : [cell]
}

/** `% of costs Jan/2025 - Dec/2025`: the heading of the next column. */
function splitAtSpans(cell: Cell): Line {
  const isShare = cell.field === undefined && /^%\s?\p{L}/u.test(cell.text)
  return isShare ? parts(cell, /\s(?=\p{L}{3,9}[./]?\s?20\d\d\s[-–]\s)/gu) : [cell]
}

function parts(cell: Cell, between: RegExp): Line {
  const { text, left, right } = cell
  const width = (right - left) / Math.max(1, text.length)
  const found: Line = []
  let begin = 0
  const add = (end: number) => {
    const part = text.slice(begin, end)
    if (part.trim() !== '')
      found.push({ ...cell, text: part.trim(), left: left + begin * width, right: left + end * width })
  }
  for (const match of text.matchAll(between)) {
    add(match.index)
    begin = match.index + match[0].length
  }
  add(text.length)
  return found
}

const alike = 4
const mostLines = 3

/**
 * Labels that run over several lines, put together in the line of their values: `Profit for the financial  164,902` and
 * `year` below it; or with the value half-way between `Date of` and `incorporation`. The other lines are left empty.
 */
export function joinWrapped(lines: readonly Line[]): Line[] {
  const joined = lines.map((line) => [...line])
  for (let at = 0; at < joined.length; at++) {
    joinAround(joined, at)
    joinBelow(joined, at)
    joinCaptions(joined, at)
  }
  return joined
}

function joinBelow(lines: Line[], at: number): void {
  const [label, ...values] = labelFirst(lines[at] ?? [])
  if (!label || values.length === 0) return
  for (let count = 1; count < mostLines; count++) {
    const below = lines[at + count] ?? []
    const [more] = below
    if (below.length !== 1 || !more || !(runsOn(label, more) || isRestOfLabel(label, more))) return
    label.text = `${label.text} ${more.text}`
    lines[at + count] = []
  }
}

/** `D Employer identification` and `number` below it, beside other captions: only together they are a label. */
function joinCaptions(lines: Line[], at: number): void {
  const line = lines[at] ?? []
  const next = lines[at + 1] ?? []
  if (line.length < 2 || next.length === 0) return
  for (const cell of line) {
    const below = next.find((other) => Math.abs(other.left - cell.left) <= alike)
    if (
      !below ||
      !isText(below) ||
      !/^\p{Ll}{2}/u.test(below.text) ||
      cell.field !== undefined ||
      /\d{2}/.test(cell.text)
    )
      continue
    const whole = `${cell.text} ${below.text}`
    if (!isOtherLabel(whole, cell.text) || (isLabel(cell.text) && isLabel(below.text))) continue
    cell.text = whole
    cell.right = Math.max(cell.right, below.right)
    lines[at + 1] = (lines[at + 1] ?? []).filter((other) => other !== below)
  }
}

/** `Employer identification` may ask for a name; with `number` it does not. */
function isOtherLabel(whole: string, part: string): boolean {
  const factsOf = (text: string) => readLabel(text).flatMap(({ fact, is_exact }) => (is_exact ? [fact] : []))
  const known = factsOf(part)
  return factsOf(whole).some((fact) => known.every((own) => own === 'business.legal_name' && own !== fact))
}

function joinAround(lines: Line[], at: number): void {
  const [above, middle, below] = [lines[at], lines[at + 1], lines[at + 2]]
  const [begin, end] = [above?.[0], below?.[0]]
  if (above?.length !== 1 || below?.length !== 1 || !begin || !end || !middle || middle.length === 0) return
  const isBeside = middle.every((cell) => cell.left >= Math.max(begin.right, end.right))
  if (!isBeside || !isText(begin) || !isText(end) || Math.abs(begin.left - end.left) > alike) return
  if (!/^\p{Ll}|:\s*$/u.test(end.text)) return
  lines[at] = [{ ...begin, text: `${begin.text} ${end.text}` }, ...middle]
  lines[at + 1] = []
  lines[at + 2] = []
}

/** Forms number their lines in a column of their own. */
function labelFirst(line: Line): Line {
  const [first] = line
  return first && line.length > 2 && /^\(?\d{0,4}[a-z]?\)?\.?$/i.test(first.text) ? line.slice(1) : line
}

/** `Constitution of`, and `Business` below it: only together they are a label. */
function isRestOfLabel(label: Cell, more: Cell): boolean {
  return (
    isText(more) &&
    Math.abs(label.left - more.left) <= alike &&
    /\s(?:of|der|des|de|du|del)$/.test(label.text) &&
    isLabel(`${label.text} ${more.text}`)
  )
}

function runsOn(label: Cell, more: Cell): boolean {
  return (
    isText(more) &&
    Math.abs(label.left - more.left) <= alike &&
    more.right <= label.right + 120 &&
    /^\p{Ll}/u.test(more.text) &&
    !/[:.]\s*$/.test(label.text) &&
    // `Opening balance £6,204.11` is more than a label.
    !/\d[.,]\d\d$/.test(label.text)
  )
}

function isText({ text, field }: Cell): boolean {
  return field === undefined && text.length <= 60 && /\p{L}/u.test(text) && numbersIn(text, '.').length === 0
}

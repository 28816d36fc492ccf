// Finds facts by the labels they stand behind, beside or below. Pure, never throws, takes linear time.
// Lines: 'label: value', 'label  value', a label inside a longer text, a value on the line after its label.
// Tables add what lines cannot tell: a header row with values below it, and rows of owners.

import { addressBelow } from './address-lines.ts'
import { cellsOf, type DocumentPage, type DocumentText } from './document-text.ts'
import {
  exactLabel,
  type FactLabel,
  isLineNumber,
  labelAt,
  misleadingAfter,
  misleadingBefore,
  wordsOf,
} from './fact-labels.ts'
import { firstValue, isEmail, tokensOf } from './fact-values.ts'
import type { FoundFact } from './found-fact.ts'
import { findOwners } from './owner-facts.ts'
import { runningBalances } from './running-balance.ts'
import { amountsByYear, scaleOf, yearsOf } from './yearly-amounts.ts'

/** By confidence, the best first. */
export function findFacts(text: DocumentText): FoundFact[] {
  const found = text.pages.flatMap((page) => [...factsOfLines(page), ...factsOfHeaders(page)])
  const balances = text.pages.flatMap(runningBalances).slice(-1)
  const unlabelled = text.pages.flatMap(factsByForm)
  return best([...lastBalanceWins(found), ...balances, ...unlabelled, ...findOwners(text)])
}

const longestLine = 1_000
const sure = 0.9
const below = 0.85
const inside = 0.6
const byForm = 0.4

interface Line {
  cells: string[]
  place: string
}

function factsOfLines(page: DocumentPage): FoundFact[] {
  const lines = page.lines.map((line, index): Line => {
    return { cells: cellsOf(line.slice(0, longestLine)), place: `page ${page.number}, line ${index + 1}` }
  })
  const found: FoundFact[] = []
  let years: number[] = []
  let scale: number | undefined
  for (const [index, line] of lines.entries()) {
    scale = scaleOf(page.lines[index]?.slice(0, longestLine) ?? '') ?? scale
    const heading = yearsOf(line.cells)
    if (heading.length > 0) years = heading
    for (const position of line.cells.keys()) {
      for (const { label, texts, confidence } of valuesAt(lines, index, position)) {
        if (label.kind === 'amount') found.push(...amounts(label, texts, years, scale, confidence, line.place))
        else {
          const text = firstValue(texts[0] ?? '', label.kind)
          if (text) found.push({ fact: label.fact, text, confidence: confidence * label.weight, place: line.place })
        }
      }
    }
  }
  return found
}

interface LabelledValue {
  label: FactLabel
  /** The value, or for amounts everything that may hold one. */
  texts: string[]
  confidence: number
}

function valuesAt(lines: readonly Line[], index: number, position: number): LabelledValue[] {
  const cells = lines[index]?.cells ?? []
  const cell = cells[position] ?? ''
  const behind = cells.slice(position + 1)
  const colon = cell.indexOf(':')
  const before = colon === -1 ? cell : cell.slice(0, colon)
  const label = exactLabel(before)
  if (!label) return insideText(cell, behind)
  const rest = colon === -1 ? '' : cutAtLabel(cell.slice(colon + 1).trim())
  if (label.kind === 'address') return addressAt(label, lines, index, position, rest)
  if (rest !== '') return [{ label, texts: label.kind === 'amount' ? [rest, ...behind] : [rest], confidence: sure }]
  const beside = behind.filter((text) => !isLineNumber(text) || label.kind !== 'amount')
  const [next] = beside
  if (next !== undefined && !isLabel(next) && firstValue(next, label.kind))
    return [{ label, texts: label.kind === 'amount' ? beside : [next], confidence: sure }]
  const text = textBelow(lines, index, position)
  if (text === undefined || isLabel(text) || behind.some((one) => !isLabel(one))) return []
  return [{ label, texts: [text], confidence: below }]
}

/** A label with other words around it: believed only when a value of the right form follows. */
function insideText(cell: string, behind: readonly string[]): LabelledValue[] {
  const words = wordsOf(cell)
  const found: LabelledValue[] = []
  for (let begin = 0; begin < words.length; begin++) {
    const label = labelAt(words, begin)
    if (!label) continue
    const end = begin + label.words.length
    const isMisled = misleadingAfter.has(words[end] ?? '') || misleadingBefore.has(words[begin - 1] ?? '')
    const hasNoForm = label.kind === 'text' || label.kind === 'address'
    begin = end - 1
    // A name can be anything, so it needs its label at the beginning, and one of more than a word.
    if (isMisled || (hasNoForm && !label.is_infix && (end !== label.words.length || end < 2))) continue
    const rest = cutAtLabel(afterWords(cell, end))
    const texts =
      label.kind === 'amount' ? [rest, ...behind] : firstValue(rest, label.kind) ? [rest] : behind.slice(0, 1)
    if (hasNoForm && rest === '') continue
    found.push({ label, texts, confidence: inside })
  }
  return found
}

function addressAt(
  label: FactLabel,
  lines: readonly Line[],
  index: number,
  position: number,
  rest: string,
): LabelledValue[] {
  const cells = lines[index]?.cells ?? []
  const next = cells[position + 1]
  const first = rest !== '' ? rest : next !== undefined && !isLabel(next) ? next : ''
  const following = lines.slice(index + 1, index + 8).map((line) => line.cells)
  const address = addressBelow(first, following, position, isLabel)
  return address === '' ? [] : [{ label, texts: [address], confidence: sure }]
}

function amounts(
  label: FactLabel,
  texts: readonly string[],
  years: readonly number[],
  scale: number | undefined,
  confidence: number,
  place: string,
): FoundFact[] {
  return amountsByYear(texts, years).map(({ text, rank }) => {
    const own = Math.max(0.1, confidence - 0.3 * Math.min(rank, 2)) * label.weight
    return { fact: label.fact, text, confidence: own, place, ...(scale ? { scale } : {}) }
  })
}

/** A header row of labels with one row below it; with many rows it is a list of others. Years may go down the side. */
function factsOfHeaders(page: DocumentPage): FoundFact[] {
  return page.tables.flatMap((table, number) => {
    const [header = [], ...rows] = table
    const labels = header.slice(0, 50).map(exactLabel)
    if (labels.filter((label) => label !== undefined).length < 2) return []
    const byYear = yearRows(rows)
    const place = (row: number) => `page ${page.number}, table ${number + 1}, row ${row + 2}`
    const scale = header.map(scaleOf).find((one) => one !== undefined)
    return labels.flatMap((label, column): FoundFact[] => {
      if (!label) return []
      const chosen = label.kind === 'amount' && byYear.length > 0 ? byYear : rows.length === 1 ? [0] : []
      return chosen.flatMap((row, rank): FoundFact[] => {
        const text = firstValue(rows[row]?.[column] ?? '', label.kind)
        if (!text) return []
        const confidence = (sure - 0.3 * Math.min(rank, 2)) * label.weight
        return [{ fact: label.fact, text, confidence, place: place(row), ...(scale ? { scale } : {}) }]
      })
    })
  })
}

/** The rows of a table by year, the latest first; none when its first column holds no years. */
function yearRows(rows: readonly string[][]): number[] {
  if (rows.length > 20) return []
  const years = rows.map((row, index) => ({
    index,
    year: Number(/^(?:FY ?)?((?:19|20)\d\d)$/i.exec(row[0] ?? '')?.[1] ?? 0),
  }))
  if (years.some(({ year }) => year === 0)) return []
  return years.sort((a, b) => b.year - a.year).map(({ index }) => index)
}

/** What its form alone gives away. */
function factsByForm(page: DocumentPage): FoundFact[] {
  return page.lines.flatMap((line, index) => {
    const place = `page ${page.number}, line ${index + 1}`
    return tokensOf(line.slice(0, longestLine)).flatMap((token): FoundFact[] => {
      const text = token.replace(/^[(]|[),.;]$/g, '')
      if (/^\d{2}-\d{7}$/.test(text)) return [{ fact: 'business.tax_id', text, confidence: byForm, place }]
      // Any address on a page may be the bank's or a customer's.
      return isEmail(text) ? [{ fact: 'business.email', text, confidence: byForm / 2, place }] : []
    })
  })
}

/** Statements give a balance for every page: the last one is today's. */
function lastBalanceWins(found: readonly FoundFact[]): FoundFact[] {
  const isClosing = ({ fact, confidence }: FoundFact) => fact === 'business.bank_balance' && confidence >= inside
  const last = found.findLastIndex(isClosing)
  return found.map((one, index) =>
    isClosing(one) && index !== last ? { ...one, confidence: one.confidence * 0.8 } : one,
  )
}

/** Every value of a fact once, where it was surest; a flood of candidates helps nobody. */
function best(found: readonly FoundFact[]): FoundFact[] {
  const kept = new Map<string, FoundFact>()
  for (const one of found) {
    const key = `${one.fact}\n${one.row ?? ''}\n${one.text}`
    if ((kept.get(key)?.confidence ?? 0) < one.confidence)
      kept.set(key, { ...one, confidence: Math.round(one.confidence * 100) / 100 })
  }
  const counts = new Map<string, number>()
  return [...kept.values()]
    .sort((a, b) => b.confidence - a.confidence)
    .filter(({ fact, row }) => {
      const key = `${fact} ${row ?? ''}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
      return (counts.get(key) ?? 0) <= candidatesPerFact
    })
}

const candidatesPerFact = 10

function isLabel(text: string): boolean {
  return text.endsWith(':') || exactLabel(text.split(':', 1)[0] ?? '') !== undefined
}

/** What stands below a cell; nothing in a table of several rows, whose header says what the rows are about. */
function textBelow(lines: readonly Line[], index: number, position: number): string | undefined {
  const count = lines[index]?.cells.length ?? 0
  const [under, next] = lines.slice(index + 1, index + 5).filter(({ cells }) => cells.length > 0)
  if (!under) return undefined
  if (count >= 2 && next?.cells.length === count && !next.cells.some(isLabel)) return undefined
  return under.cells.length === count ? under.cells[position] : position === 0 ? under.cells[0] : undefined
}

/** 'Acme Ltd Company number: 0123': the value ends where the next label with a colon begins. */
function cutAtLabel(text: string): string {
  const colon = text.indexOf(':')
  if (colon === -1 || text.startsWith('//', colon + 1)) return text
  // A label ends at the colon, so only the last few words can be one.
  const last = [...text.slice(0, colon).matchAll(/[\p{L}\p{N}]+/gu)].slice(-6)
  const words = last.map(([one]) => one.toLowerCase())
  for (const [index, word] of last.entries()) {
    const label = labelAt(words, index)
    if (label && index + label.words.length === words.length) return text.slice(0, word.index).trim()
  }
  return text
}

function afterWords(text: string, count: number): string {
  let seen = 0
  for (const match of text.matchAll(/[\p{L}\p{N}]+/gu))
    if (++seen === count) return text.slice(match.index + match[0].length).trim()
  return ''
}

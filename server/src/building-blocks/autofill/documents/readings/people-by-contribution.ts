// Owners whose share is only told by what each has put in: `Shareholder | Contribution`, beside a capital that is the sum
// of all contributions. Where they come to anything else, somebody is missing, and nothing is said.
import type { Cell } from '../formats/document-text.ts'
import { people as peopleWords } from '../words/people-words.ts'
import { wordsOf } from '../words/phrases.ts'
import { capitalWords } from '../words/vocabulary.ts'
import { type DecimalMark, numbersIn } from './numbers.ts'
import type { Owners } from './owners.ts'
import { fieldOfHeader, isCompany, isFormer, type PersonName, splitName } from './person-names.ts'
import { overlap, type PlacedLine, placeOf, type ReadDocument } from './places.ts'
import { isOfOtherShares } from './share-counts.ts'

const mostRows = 60
/** So far up stands what a list is about. */
const linesAbove = 4

interface Holder {
  name: string
  person?: PersonName
  amount?: number
  line: PlacedLine
}

export function peopleByContribution(document: ReadDocument): Owners {
  const lists = document.pages.slice(0, 5).flatMap(({ lines }) =>
    lines.flatMap(({ cells }, index) => {
      const column = cells.length > 1 ? contributionIn(cells) : undefined
      return column ? [{ lines, index, column }] : []
    }),
  )
  const [list, ...more] = lists
  const nobody = { people: [], companies: [] }
  // Of two lists one is of before, or of somebody else.
  if (!list || more.length > 0) return nobody
  const { lines, index, column } = list
  const isOfOthers = isOfOtherShares(lines.slice(Math.max(0, index - linesAbove), index))
  const holders = isOfOthers ? [] : holdersBelow(document, lines.slice(index + 1, index + mostRows), column)
  const sum = holders.reduce((total, { amount = Number.NaN }) => total + amount, 0)
  const capitals = sum > 0 ? capitalsIn(document, new Set(lines.slice(index, index + holders.length + 3))) : []
  return capitals.includes(sum) && Math.max(...capitals) === sum ? ownersOf(holders, sum) : nobody
}

/** The column of contributions of a header that has one of names too. */
function contributionIn(cells: readonly Cell[]): Cell | undefined {
  if (cells.some(({ text }) => /\d/.test(text)) || !cells.some(({ text }) => fieldOfHeader(text) === 'name'))
    return undefined
  return cells.find(({ text }) => peopleWords.contributions.has(wordsOf(text.replace(/\([^()]*\)/g, ' ')).join(' ')))
}

/** Every row, or a name and its amount in the line below it. */
function holdersBelow({ mark, country }: ReadDocument, lines: readonly PlacedLine[], column: Cell): Holder[] {
  const holders: Holder[] = []
  for (const line of lines) {
    const holder = holderIn(line, country)
    if (holder) holders.push(holder)
    const last = holders.at(-1)
    const amount = amountIn(line, column, mark)
    if (!holder && amount === undefined) {
      if (holders.length > 0) break
      continue
    }
    // An amount without a name is the sum.
    if (!last || (!holder && last.amount !== undefined)) break
    if (amount !== undefined) last.amount ??= amount
  }
  return holders
}

function holderIn(line: PlacedLine, country: string | null): Holder | undefined {
  if (isFormer(line.text)) return undefined
  for (const { text } of line.cells) {
    const [name = ''] = text.split(/,\s*(?=geb|né|nac|\d)/)
    const person = splitName(name, country)
    if (person || isCompany(name)) return { name, line, ...(person && { person }) }
  }
  return undefined
}

function amountIn({ cells }: PlacedLine, column: Cell, mark: DecimalMark): number | undefined {
  const cell = cells.find((one) => overlap(one, column) > 0 || Math.abs(one.right - column.right) <= 6)
  const [number, ...more] = cell ? numbersIn(cell.text, mark) : []
  return number && more.length === 0 && !number.is_percent ? Number(number.value) : undefined
}

function ownersOf(holders: readonly Holder[], sum: number): Owners {
  const shareOf = ({ amount = 0 }: Holder) => String(Number(((amount / sum) * 100).toFixed(4)))
  return {
    people: holders.flatMap((holder) =>
      holder.person
        ? [{ ...holder.person, ownership_percent: shareOf(holder), doubts: [], place: placeOf(holder.line) }]
        : [],
    ),
    companies: holders.flatMap((holder) =>
      holder.person ? [] : [{ name: holder.name, ownership_percent: shareOf(holder), place: placeOf(holder.line) }],
    ),
  }
}

/** `Share capital | EUR 35,000`, but not the total of the list itself. */
function capitalsIn({ pages, mark }: ReadDocument, list: ReadonlySet<PlacedLine>): number[] {
  const isOutside = (line: PlacedLine) => !list.has(line)
  return pages.slice(0, 5).flatMap(({ lines }) =>
    lines.filter(isOutside).flatMap(({ cells }) =>
      cells.flatMap(({ text }, index) => {
        const [label = '', behind = ''] = text.split(':', 2)
        if (!capitalWords.has(wordsOf(label).join(' '))) return []
        const value = behind.trim() === '' ? (cells[index + 1]?.text ?? '') : behind
        return numbersIn(value, mark).map((number) => Number(number.value))
      }),
    ),
  )
}

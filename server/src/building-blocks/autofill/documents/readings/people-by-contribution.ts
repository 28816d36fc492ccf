// Owners whose share is only told by what each has put in: `Shareholder | Contribution`, beside a capital that is the sum
// of all contributions. Where they come to anything else, somebody is missing, and nothing is said.
import type { Cell } from '../formats/document-text.ts'
import { wordsOf } from '../words/phrases.ts'
import { capitalWords, people as peopleWords } from '../words/vocabulary.ts'
import { type DecimalMark, numbersIn } from './numbers.ts'
import type { Owners } from './people.ts'
import { fieldOfHeader, isCompany, isFormer, type PersonName, splitName } from './person-names.ts'
import { overlap, type PlacedLine, placeOf, type ReadDocument } from './places.ts'

const mostRows = 60

interface Holder {
  name: string
  person?: PersonName
  amount?: number
  line: PlacedLine
}

export function peopleByContribution(document: ReadDocument): Owners {
  let capitals: readonly number[] | undefined
  for (const { lines } of document.pages.slice(0, 5))
    for (const [index, { cells }] of lines.entries()) {
      const column = cells.length > 1 ? contributionIn(cells) : undefined
      if (!column) continue
      const holders = holdersBelow(document, lines.slice(index + 1, index + mostRows), column)
      const sum = holders.reduce((total, { amount = Number.NaN }) => total + amount, 0)
      if (!(sum > 0)) continue
      capitals ??= capitalsIn(document)
      if (capitals.includes(sum)) return ownersOf(holders, sum)
    }
  return { people: [], companies: [] }
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
  const shareOf = ({ amount = 0 }: Holder) => String(Number(((amount / sum) * 100).toFixed(2)))
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

/** `Share capital | EUR 35,000` */
function capitalsIn({ pages, mark }: ReadDocument): number[] {
  return pages.slice(0, 5).flatMap(({ lines }) =>
    lines.flatMap(({ cells }) =>
      cells.flatMap(({ text }, index) => {
        const [label = '', behind = ''] = text.split(':', 2)
        if (!capitalWords.has(wordsOf(label).join(' '))) return []
        const value = behind.trim() === '' ? (cells[index + 1]?.text ?? '') : behind
        return numbersIn(value, mark).map((number) => Number(number.value))
      }),
    ),
  )
}

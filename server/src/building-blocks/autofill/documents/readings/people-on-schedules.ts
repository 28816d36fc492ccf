// Shareholders and partners on Schedule K-1 of an American return: one page for each of them, with the name below its
// caption and the share at the end of the year.
import type { Cell } from '../formats/document-text.ts'
import type { Owners, Person } from './people.ts'
import { isCompany, splitName } from './person-names.ts'
import { overlap, type PlacedLine, placeOf, type ReadDocument } from './places.ts'

const headLines = 8
const reach = 3
const nameCaption = /^F\d? (?:(?:Shareholder|Partner)['’]s name|Name), address/i
const shareCaption = /^G Current year allocation percentage/i
/** `Profit 55 % 60 %`: the second is that at the end. */
const profitRow = /^Profit\b/i

export function peopleOnSchedules({ pages, country }: ReadDocument): Owners {
  const found: Owners = { people: [], companies: [] }
  for (const { lines } of pages) {
    if (!lines.slice(0, headLines).some(({ text }) => /\bSchedule K-1\b/i.test(text))) continue
    const [name] = belowCaption(lines, nameCaption)
    if (!name) continue
    const share = shareOf(lines)
    const owned = share === undefined ? {} : { ownership_percent: share }
    const place = placeOf(name.line)
    if (isCompany(name.cell.text)) found.companies.push({ name: name.cell.text, ...owned, place })
    else {
      const split = splitName(name.cell.text, country)
      const person: Person = { doubts: [], place, is_owner: true, ...owned, ...split }
      if (split) found.people.push(person)
    }
  }
  return found
}

function shareOf(lines: readonly PlacedLine[]): string | undefined {
  const allocated = belowCaption(lines, shareCaption)
    .map(({ cell }) => percentsIn(cell.text).at(-1))
    .find((share) => share !== undefined)
  const profit = lines.find(({ text }) => profitRow.test(text))
  return allocated ?? (profit && percentsIn(profit.text.replace(/\bLoss\b.*$/i, '')).at(-1))
}

/** What stands in the column of a caption, in the lines below it. */
function belowCaption(lines: readonly PlacedLine[], caption: RegExp): { cell: Cell; line: PlacedLine }[] {
  for (const [index, { cells }] of lines.entries()) {
    const head = cells.find(({ text }) => caption.test(text))
    if (head)
      return lines.slice(index + 1, index + 1 + reach).flatMap((line) => {
        const cell = line.cells.find((one) => overlap(one, head) > 0)
        return cell ? [{ cell, line }] : []
      })
  }
  return []
}

/** `65.000000 %` as `65`. */
function percentsIn(text: string): string[] {
  return [...text.matchAll(/(\d{1,3}(?:\.\d{1,8})?)\s?%/g)].flatMap(([, share = '']) =>
    Number(share) > 0 && Number(share) <= 100 ? [String(Number(Number(share).toFixed(6)))] : [],
  )
}

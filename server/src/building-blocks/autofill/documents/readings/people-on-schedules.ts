// Shareholders and partners on Schedule K-1 of an American return: one schedule for each of them, with the name below its
// caption or beside it, and the share at the end of the year.
import type { Cell } from '../formats/document-text.ts'
import { isOrganisation, mentionsSubject, type Names } from './company-names.ts'
import type { Owners, Person } from './people.ts'
import { isCompany, splitName } from './person-names.ts'
import { overlap, type PlacedLine, placeOf, type ReadDocument } from './places.ts'

const headLines = 8
const reach = 3
const title = /\bSchedule K-1\b/i
const nameCaption = /^F\d? (?:(?:Shareholder|Partner)['’]s name|Name), address/i
const businessCaption = /\b(?:Partnership|Corporation)['’]s name\b/i
const shareCaption = /^G Current year allocation percentage/i
/** `Profit 55 % 60 %`: at the beginning and at the end. */
const profitRow = /^Profit\s{1,40}[\d.]{1,12}\s?%/i

export function peopleOnSchedules({ pages, country }: ReadDocument, names: Names): Owners {
  const found: Owners = { people: [], companies: [] }
  for (const lines of pages.flatMap(schedulesOn)) {
    const name = nameOn(lines, country)
    if (!name || isOfOther(lines, names)) continue
    const share = shareOf(lines)
    // Whoever has nothing at the end has left.
    if (share === 0) continue
    const owned = share === undefined ? {} : { ownership_percent: String(share) }
    const place = placeOf(name.line)
    // `ANN LEE, 77 MILL RD, HAMILTON, MT 59840`
    const [written = ''] = name.cell.text.split(/,\s(?=\d|P\.? ?O\b)/)
    if (isCompany(written)) found.companies.push({ name: written, ...owned, place })
    else {
      const split = splitName(written, country)
      const person: Person = {
        doubts: share === undefined ? ['number'] : [],
        place,
        is_owner: true,
        ...owned,
        ...split,
      }
      if (split) found.people.push(person)
    }
  }
  return found
}

/** The schedules of a page, each from its title on. */
function schedulesOn({ lines }: ReadDocument['pages'][number]): PlacedLine[][] {
  const starts = lines.flatMap(({ text }, index) =>
    title.test(text) && (index < headLines || title.exec(text)?.index === 0) ? [index] : [],
  )
  const apart = starts.filter((start, position) => position === 0 || start - (starts[position - 1] ?? 0) > headLines)
  return apart.map((start, position) => lines.slice(start, apart[position + 1]))
}

/** What the subject has itself received as a partner elsewhere. */
function isOfOther(lines: readonly PlacedLine[], names: Names): boolean {
  const line = lines.find(({ text }) => businessCaption.test(text))
  const at = line ? lines.indexOf(line) : -1
  const named = [line?.cells.at(1)?.text ?? '', ...lines.slice(at + 1, at + 3).map(({ text }) => text)]
  return at !== -1 && !named.some((text) => mentionsSubject(text, names)) && named.some(isOrganisation)
}

function nameOn(lines: readonly PlacedLine[], country: string | null): { cell: Cell; line: PlacedLine } | undefined {
  const at = lines.findIndex(({ cells }) => cells.some(({ text }) => nameCaption.test(text)))
  const line = lines[at]
  const caption = line?.cells.findIndex(({ text }) => nameCaption.test(text)) ?? -1
  const beside = line?.cells[caption + 1]
  // `… for partner | ANN LEE`, and in the next line `entered in E`; or nothing below the caption at all.
  const next = lines.slice(at + 1).find(({ cells }) => cells.length > 0)
  const head = line?.cells[caption]
  const under = next?.cells.find((cell) => head && overlap(cell, head) > 0)
  const isBeside = under === undefined || /^entered in\b/i.test(under.text)
  const isName = beside !== undefined && (isCompany(beside.text) || splitName(beside.text, country) !== undefined)
  if (line && beside && isBeside && isName) return { cell: beside, line }
  return belowCaption(lines, nameCaption)[0]
}

function shareOf(lines: readonly PlacedLine[]): number | undefined {
  const allocated = belowCaption(lines, shareCaption)
    .map(({ cell }) => percentsIn(cell.text).at(-1))
    .find((share) => share !== undefined)
  const [, atEnd] = percentsIn(lines.find(({ text }) => profitRow.test(text))?.text.replace(/\bLoss\b.*$/i, '') ?? '')
  return allocated ?? atEnd
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

/** `65.000000 %` as 65. */
function percentsIn(text: string): number[] {
  return [...text.matchAll(/(\d{1,3}(?:\.\d{1,8})?)\s?%/g)].flatMap(([, share = '']) =>
    Number(share) <= 100 ? [Number(Number(share).toFixed(6))] : [],
  )
}

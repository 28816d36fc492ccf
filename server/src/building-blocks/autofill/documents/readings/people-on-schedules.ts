// Shareholders and partners on Schedule K-1 of an American return: one schedule for each of them, with the name below its
// caption or beside it, and the share at the end of the year.
import type { Cell } from '../formats/document-text.ts'
import { hasPostcode } from './addresses.ts'
import { isSubject, mentionsSubject, type Names } from './company-names.ts'
import { isOrganisation } from './organisations.ts'
import type { Owners, Person } from './owners.ts'
import { isCompany, splitName } from './person-names.ts'
import { overlap, type PlacedLine, placeOf, type ReadDocument } from './places.ts'
import type { Reading } from './reading.ts'

const headLines = 8
/** A name, two lines of an address, and a town. */
const reach = 4
const title = /\bSchedule K-1\b/i
const nameCaption = /^(?:F\d? )?(?:(?:Shareholder|Partner)['’]s name|Name), address/i
const businessCaption = /\b(?:Partnership|Corporation)['’]s name\b/i
const isCaption = /\bname\b|\bshare(?:holder|s)?\b|:/i
const shareCaption = /^(?:G )?Current year allocation percentage/i
const shareInCaption = /^(?:G )?Current year allocation percentage[\s.]+(\d[\d.]{0,11}\s?%)$/i
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

/** The address below the name of the partnership or corporation: it is its own return. */
export function addressesOnSchedules({ pages, country }: ReadDocument, names: Names): Reading[] {
  return pages.flatMap(schedulesOn).flatMap((lines): Reading[] => {
    const caption = captionIn(lines, businessCaption)
    if (!caption || isOfOther(lines, names)) return []
    const [name, ...rest] = writtenBelow(caption)
    // Who is a partner in another one has that one's address above its own.
    const partner = nameOn(lines, country)
    if (!name || !isSubject(name.cell.text, names) || (partner && isSubject(partner.cell.text, names))) return []
    const end = rest.findIndex(({ cell }) => hasPostcode(cell.text, country))
    const [street] = rest
    const parts = rest.slice(0, end + 1).map(({ cell }) => cell.text.replace(/,$/, ''))
    // Where the box is empty, the next caption follows.
    const isAddress = /^\d|^P\.? ?O\b|^[A-Z]+ \d/.test(parts[0] ?? '') && !parts.some((part) => isCaption.test(part))
    if (end < 1 || !street || !isAddress) return []
    const value = parts.join(', ')
    return [
      { fact: 'business.registered_address', value, label: caption.cell.text, doubts: [], place: placeOf(street.line) },
    ]
  })
}

/** The schedules of a page, each from its title on. */
function schedulesOn({ lines }: ReadDocument['pages'][number]): PlacedLine[][] {
  const starts = lines.flatMap(({ text }, index) => {
    const at = title.exec(text)?.index
    return at === 0 || (at !== undefined && index < headLines) ? [index] : []
  })
  const apart = starts.filter((start, position) => position === 0 || start - (starts[position - 1] ?? 0) > headLines)
  return apart.map((start, position) => lines.slice(start, apart[position + 1]))
}

/** What the subject has itself received as a partner elsewhere. */
function isOfOther(lines: readonly PlacedLine[], names: Names): boolean {
  const caption = captionIn(lines, businessCaption)
  if (!caption) return false
  const named = [caption.beside?.text ?? '', ...caption.below.slice(0, 2).map(({ text }) => text)]
  return !named.some((text) => mentionsSubject(text, names)) && named.some(isOrganisation)
}

function nameOn(lines: readonly PlacedLine[], country: string | null): Written | undefined {
  const caption = captionIn(lines, nameCaption)
  if (!caption) return undefined
  const { line, cell, beside, below } = caption
  // `… for partner | ANN LEE`, and in the next line `entered in E`; or nothing below the caption at all.
  const next = below.find(({ cells }) => cells.length > 0)
  const under = next?.cells.find((one) => overlap(one, cell) > 0)
  const isBeside = under === undefined || /^entered in\b/i.test(under.text)
  const isName = beside !== undefined && (isCompany(beside.text) || splitName(beside.text, country) !== undefined)
  return beside && isBeside && isName ? { cell: beside, line } : writtenBelow(caption)[0]
}

function shareOf(lines: readonly PlacedLine[]): number | undefined {
  const caption = captionIn(lines, shareCaption)
  // `G Current year allocation percentage | 60 %`, or below it.
  // Or right behind its words.
  const beside =
    percentsIn(caption?.beside?.text ?? '').at(-1) ??
    percentsIn(shareInCaption.exec(caption?.cell.text ?? '')?.[1] ?? '').at(-1)
  const allocated = (caption ? writtenBelow(caption) : [])
    .map(({ cell }) => percentsIn(cell.text).at(-1))
    .find((share) => share !== undefined)
  const [, atEnd] = percentsIn(lines.find(({ text }) => profitRow.test(text))?.text.replace(/\bLoss\b.*$/i, '') ?? '')
  return beside ?? allocated ?? atEnd
}

interface Written {
  cell: Cell
  line: PlacedLine
}

interface Caption extends Written {
  beside: Cell | undefined
  below: readonly PlacedLine[]
}

function captionIn(lines: readonly PlacedLine[], caption: RegExp): Caption | undefined {
  for (const [index, line] of lines.entries()) {
    const at = line.cells.findIndex(({ text }) => caption.test(text))
    const cell = line.cells[at]
    if (cell) return { cell, line, beside: line.cells[at + 1], below: lines.slice(index + 1, index + 1 + reach) }
  }
  return undefined
}

/** What stands in the column of a caption, in the lines below it. */
function writtenBelow({ cell: head, below }: Caption): Written[] {
  return below.flatMap((line) => {
    const cell = line.cells.find((one) => overlap(one, head) > 0)
    return cell ? [{ cell, line }] : []
  })
}

/** `65.000000 %` as 65. */
function percentsIn(text: string): number[] {
  return [...text.matchAll(/(\d{1,3}(?:\.\d{1,8})?)\s?%/g)].flatMap(([, share = '']) =>
    Number(share) <= 100 ? [Number(Number(share).toFixed(6))] : [],
  )
}

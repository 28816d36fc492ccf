// Who fills in the statement of what they own and owe, as American lenders ask of each owner: the name stands in the first
// lines, and somewhere near it what part of the applicant is theirs.
import type { Cell } from '../formats/document-text.ts'
import { datesIn, isoOf } from './dates.ts'
import type { Owners, Person } from './owners.ts'
import { isBelow } from './people-in-boxes.ts'
import { splitName } from './person-names.ts'
import { type PlacedLine, placeOf, type ReadDocument } from './places.ts'

const titleLines = 4
const headLines = 24
const percent = /^(?:[^\d%]{0,40}\s)?(\d{1,3}(?:\.\d{1,4})?)\s?%$/

/** Of the applicant, not of a home or of other businesses. */
const ownership =
  /^(?:title \/ )?(?:percent(?:age)? of |% )?ownership in (?:the )?(?:applicant|borrower|business|company)(?: business)?(?: \(?%\)?)?$|^percent(?:age)? of ownership$/i

export function peopleOnPersonalStatements({ pages, country }: ReadDocument): Owners {
  const lines = pages[0]?.lines ?? []
  const isTitled = lines.slice(0, titleLines).some(({ text }) => /\bpersonal financial statement\b/i.test(text))
  const head = isTitled ? lines.slice(0, headLines) : []
  const name = answerTo(head, /^(?:full |your )?name(?: of individual)?$/i)
  const share = percent.exec(answerTo(head, ownership)?.text ?? '')?.[1]
  const split = splitName(name?.text ?? '', country)
  if (!name || !split || share === undefined || Number(share) === 0 || Number(share) > 100)
    return { people: [], companies: [] }
  const [born] = datesIn(answerTo(head, /^date of birth$/i)?.text ?? '', country)
  const person: Person = {
    ...split,
    ownership_percent: share,
    ...(born?.day !== undefined && { birth_date: isoOf(born) }),
    is_owner: true,
    doubts: [],
    place: placeOf(name.line),
  }
  return { people: [person], companies: [] }
}

/** What stands behind, beside or below the first caption of this kind. */
function answerTo(lines: readonly PlacedLine[], caption: RegExp): { text: string; line: PlacedLine } | undefined {
  for (const [index, line] of lines.entries())
    for (const [at, cell] of line.cells.entries()) {
      const { label, rest } = partsOf(cell, caption)
      if (!caption.test(label) || label.length > 60 || /\bor more\b/i.test(line.text)) continue
      const below = lines.slice(index + 1, index + 3).find(({ cells }) => cells.length > 0)
      const under = below?.cells.find((one) => isBelow(cell, one))
      const beside = line.cells[at + 1]
      // `Name | Business phone` are captions, and `Name | Ann Lee` is none.
      const isFilled = beside !== undefined && (/\d/.test(beside.text) || splitName(beside.text, null) !== undefined)
      const isCaption = beside !== undefined && /\b(?:phone|date|address|applicant|type)\b/i.test(beside.text)
      if (rest !== '') return { text: rest, line }
      if (beside && isFilled && !isCaption) return { text: beside.text, line }
      if (under && below) return { text: under.text, line: below }
    }
  return undefined
}

/** `Name: Ann Lee`, `Name Ann Lee`, `Title / ownership in applicant, President – 80 %`. */
function partsOf({ text }: Cell, caption: RegExp): { label: string; rest: string } {
  const [label = '', rest = ''] = text.split(/:\s*|,\s(?=\S)/, 2)
  if (caption.test(label.trim())) return { label: label.trim(), rest: rest.trim() }
  const [first = '', ...more] = text.split(/\s+/)
  return caption.test(first) ? { label: first, rest: more.join(' ') } : { label: text.trim(), rest: '' }
}

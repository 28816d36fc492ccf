// People in forms with boxes: a row of labels, below it a row of what was filled in, and several such rows for one person:
// `First name | Last name | Title`, then `Ownership % | Date of birth | E-mail`.
import type { Cell } from '../formats/document-text.ts'
import { people as peopleWords } from '../words/people-words.ts'
import { wordsOf } from '../words/phrases.ts'
import type { Person } from './owners.ts'
import { nameAndShare, setField } from './people-in-forms.ts'
import { fieldOfHeader, isFormer, isOwnerWord, splitName } from './person-names.ts'
import { overlap, type PlacedLine, placeOf, type ReadDocument } from './places.ts'

type Field = NonNullable<ReturnType<typeof fieldOfHeader>>
interface Row {
  fields: { field: Field; label: string; text: string }[]
  line: PlacedLine
}

export function peopleInBoxes({ pages, country }: ReadDocument): Person[] {
  return pages.flatMap(({ lines }) => {
    const people: { person: Person; rows: number; next: number; isOwner: boolean }[] = []
    const filled = lines.filter(({ cells }) => cells.length > 0)
    for (let at = 0; at + 1 < filled.length; at++) {
      const row = rowAt(filled, at)
      if (!row) continue
      const isNamed = row.fields.some(({ field }) => nameFields.has(field))
      const last = people.at(-1)
      // The next person stands below the same heading.
      const isOwner = (last?.next === at && last.isOwner) || isOfOwner(filled, at)
      const first = filled[at]?.cells[0]
      const isNumbered = first !== undefined && withoutOwner(first) !== first
      const rows = isNumbered ? 1 : 0
      if (isNamed) people.push({ person: { doubts: [], place: placeOf(row.line) }, rows, next: at, isOwner })
      const current = people.at(-1)
      // What belongs to one person stands without anything between.
      if (current?.next !== at) continue
      current.rows++
      current.next = at + 2
      at++
      for (const { field, label, text } of row.fields)
        if (field === 'name') nameAndShare(current.person, text, country, label)
        else setField(current.person, field, text, country)
    }
    // One row alone may be the head of a table.
    const isRead = ({ person, rows, isOwner }: (typeof people)[number]) =>
      isOwner && rows > 1 && isWhole(person, country)
    return people.filter(isRead).map(({ person }) => person)
  })
}

/** The nearest heading says that it is an owner: `Owner 1`, `Principals`. */
function isOfOwner(lines: readonly PlacedLine[], at: number): boolean {
  const own = lines[at]?.cells[0]
  if (own && withoutOwner(own) !== own) return true
  const above = lines.slice(Math.max(0, at - 3), at).reverse()
  const heading = above.find(({ cells }) => cells.length === 1)?.text ?? ''
  const words = wordsOf(heading.replace(/\([^()]*\)/g, ' '))
  return words.some(isOwnerWord) && !isFormer(heading)
}

const nameFields = new Set<Field>(['name', 'first_name', 'last_name'])

function isWhole({ first_name, last_name, ownership_percent }: Person, country: string | null): boolean {
  return ownership_percent !== undefined && splitName(`${first_name} ${last_name}`, country) !== undefined
}

/** A row of labels and the values below it; undefined when the line or the next one is something else. */
function rowAt(lines: readonly PlacedLine[], at: number): Row | undefined {
  const [labels, values] = [(lines[at]?.cells ?? []).map(withoutOwner), lines[at + 1]]
  if (!values || labels.length < 2 || labels.some(({ text }) => /\d|:\s*\S/.test(text))) return undefined
  const headers = values.cells.filter(({ text }) => fieldOfHeader(text) !== undefined)
  if (headers.length * 2 > values.cells.length) return undefined
  const fields = labels.flatMap((label) => {
    const field = fieldOfHeader(label.text)
    const text = field && values.cells.find((cell) => isBelow(label, cell))?.text
    return field && text ? [{ field, label: label.text, text }] : []
  })
  return fields.length === 0 ? undefined : { fields, line: values }
}

/** `Owner 1 First name` */
function withoutOwner(cell: Cell): Cell {
  const [, owner = '', rest = ''] = /^(\p{L}{4,20} \d{1,2})[\s:–-]+(\p{L}.*)$/u.exec(cell.text) ?? []
  return peopleWords.numbered.at(wordsOf(owner), 0) && fieldOfHeader(rest) ? { ...cell, text: rest } : cell
}

export function isBelow(label: Cell, cell: Cell): boolean {
  return Math.abs(label.left - cell.left) <= 12 || overlap(label, cell) > 0
}

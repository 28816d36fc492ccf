// Owners in lines of labels and values in turns: `First name | Ann | Last name | Lee | Born | 11/12/1968 | Share % | 55`.

import type { Person } from './owners.ts'
import { labelsAndValues, nameAndShare, setField } from './people-in-forms.ts'
import { fieldOfHeader } from './person-names.ts'
import { type PlacedLine, placeOf, type ReadDocument } from './places.ts'

export function peopleInTurns({ pages, country }: ReadDocument): Person[] {
  return pages.flatMap(({ lines }) => lines.flatMap((line) => personOf(line, country) ?? []))
}

function personOf(line: PlacedLine, country: string | null): Person[] | undefined {
  if (line.cells.length < 6) return undefined
  const told = labelsAndValues(line).flatMap(({ label, value }) => {
    const field = value === '' ? undefined : fieldOfHeader(label)
    return field === undefined ? [] : [{ field, label, value }]
  })
  const fields = new Set(told.map(({ field }) => field))
  const isNamed = fields.has('name') || fields.has('last_name')
  if (!isNamed || !fields.has('ownership_percent') || fields.size < 3) return undefined
  const person: Person = { doubts: [], place: placeOf(line), is_owner: true }
  for (const { field, label, value } of told) {
    // Beside `First name`, `Name` is the last one.
    const isLast = field === 'name' && fields.has('first_name')
    if (isLast) setField(person, 'last_name', value, country)
    else if (field === 'name') nameAndShare(person, value, country, label)
    else setField(person, field, value, country)
  }
  return person.first_name && person.last_name ? [person] : undefined
}

// People in forms of the web: below `Owner 1` a caption in a line of its own, what was filled in below it, and so on.
import { people as peopleWords } from '../words/people-words.ts'
import { wordsOf } from '../words/phrases.ts'
import type { Names } from './company-names.ts'
import type { Person } from './owners.ts'
import { nameAndShare, setField } from './people-in-forms.ts'
import { fieldOfHeader, isOwnerWord, splitName, withoutCompany } from './person-names.ts'
import { type PlacedLine, placeOf, type ReadDocument } from './places.ts'

/** So many filled lines may stand between what is known of a person: captions of other fields, and their values. */
const reach = 6

export function peopleInStacks({ pages, country }: ReadDocument, names: Names): Person[] {
  return pages.flatMap(({ lines }) => {
    const filled = lines.filter(({ cells }) => cells.length > 0)
    const people: Person[] = []
    let current: Person | undefined
    /** Up to which line names belong to the last heading, and fields to the last person. */
    let until = -1
    /** The line behind the last heading, or behind what was filled in last. */
    let next = -1
    for (let at = 0; at < filled.length; at++) {
      const line = filled[at]
      if (!line || line.cells.length > 1) continue
      const value = filled[at + 1]
      if (!value || value.cells.length > 1) continue
      // `Owner`, and a caption below it, is a heading; with a name below it, it is a caption itself.
      const isOverCaption = captionOf(value) !== undefined
      if (isOverCaption && isHeadingOfOwner(line, names)) {
        until = at + reach
        next = at + 1
        current = undefined
      }
      const field = captionOf(line)
      if (field === undefined || at > until || isOverCaption) continue
      // Other captions and their values are two lines each: one alone is a heading, such as `Spouse`.
      const isRest = current?.first_name !== undefined && field === 'last_name' && current.last_name === undefined
      if (namesOfPerson.has(field) && (at - next) % 2 !== 0 && !isRest) {
        until = -1
        continue
      }
      // The same field once more is the next person's.
      if (!current || (field === 'name' ? current.first_name !== undefined : current[field] !== undefined)) {
        current = { doubts: [], place: placeOf(value), is_owner: true }
        people.push(current)
      }
      if (field === 'name') nameAndShare(current, value.text, country, line.text)
      else setField(current, field, value.text, country)
      at++
      until = at + reach
      next = at + 1
    }
    return people.filter(
      ({ first_name, last_name, ownership_percent }) =>
        ownership_percent !== undefined && splitName(`${first_name} ${last_name}`, country) !== undefined,
    )
  })
}

const namesOfPerson = new Set(['name', 'first_name', 'last_name'])

function captionOf({ cells, text }: PlacedLine) {
  return cells.length === 1 && cells[0]?.field === undefined && !text.includes(':') ? fieldOfHeader(text) : undefined
}

/** `Owner 1`, `Beneficial owners (25 % or more)`, but not `Owner of the building` or `Account owner`. */
function isHeadingOfOwner({ text }: PlacedLine, names: Names): boolean {
  const bare = withoutCompany(text.replace(/\([^()]*\)/g, ' ').trim(), names)
  const words = wordsOf(bare).filter((word) => !/^\d{1,2}$/.test(word))
  return words.some(isOwnerWord) && peopleWords.headings.has(words.join(' '))
}

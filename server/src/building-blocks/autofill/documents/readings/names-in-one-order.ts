// One list has one order of names. Where a name of it can only be one with the family name first, the others are too; and
// where the text calls one of them by the given name first, that is how all of them are called.
import { wordsOf } from '../words/phrases.ts'
import { isGiven } from './name-order.ts'
import type { Person } from './people.ts'
import type { ReadDocument } from './places.ts'

export function inOneOrder(document: ReadDocument, people: readonly Person[]): Person[] {
  if (!people.some(({ is_order_unsure }) => is_order_unsure)) return [...people]
  const turned = people.map((person) =>
    person.is_order_unsure || isGiven(person.first_name) ? person : asTurned(person),
  )
  if (!turned.some((person) => isCalledSo(document, person))) return turned
  return turned.map(({ is_order_unsure: _, ...person }) => person)
}

function asTurned(person: Person): Person {
  const { first_name, last_name } = person
  return first_name === undefined || last_name === undefined
    ? person
    : { ...person, first_name: last_name, last_name: first_name, is_order_unsure: true }
}

/** `signed Ann Lee`, where the list has `Lee Ann`. */
function isCalledSo({ pages }: ReadDocument, { first_name = '', last_name = '', is_order_unsure }: Person): boolean {
  if (!is_order_unsure) return false
  const name = wordsOf(`${first_name} ${last_name}`).join(' ')
  return pages.some(({ lines }) => lines.some(({ text }) => ` ${wordsOf(text).join(' ')} `.includes(` ${name} `)))
}

// One list has one order of names. Where a name of it looks turned, the others are in doubt too, unless the text calls them by
// the given name first somewhere else.
import { wordsOf } from '../words/phrases.ts'
import { isGiven } from './name-order.ts'
import type { Person } from './owners.ts'
import type { ReadDocument } from './places.ts'

export function inOneOrder(document: ReadDocument, people: readonly Person[]): readonly Person[] {
  if (!people.some(({ is_order_unsure }) => is_order_unsure)) return people
  const said = pairsOfWords(document)
  const isCalled = (first = '', last = '') => said.has(`${wordsOf(first).join(' ')} ${wordsOf(last).join(' ')}`)
  const isTold = people.some(({ is_order_unsure, first_name, last_name }) =>
    is_order_unsure ? isCalled(first_name, last_name) : !isGiven(first_name) && isCalled(last_name, first_name),
  )
  return people.map((person) => {
    const { is_order_unsure, first_name, last_name, ...rest } = person
    if (first_name === undefined || last_name === undefined || (!is_order_unsure && isGiven(first_name))) return person
    // `signed Ann Lee`, where the list has `Lee Ann`.
    const isTurned = !is_order_unsure && isCalled(last_name, first_name)
    if (isTurned) return { ...rest, first_name: last_name, last_name: first_name }
    return is_order_unsure && isTold ? { ...rest, first_name, last_name } : { ...person, is_order_unsure: true }
  })
}

/** Every two words that stand side by side. */
function pairsOfWords({ pages }: ReadDocument): ReadonlySet<string> {
  const pairs = new Set<string>()
  for (const { lines } of pages)
    for (const { text } of lines) {
      const words = wordsOf(text)
      for (let at = 1; at < words.length; at++) pairs.add(`${words[at - 1]} ${words[at]}`)
    }
  return pairs
}

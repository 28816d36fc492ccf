// Shareholders in the register of New Zealand: `Allocation 1: 600 shares (60.00%)`, and below it who holds them.
import type { Owners, Person } from './people.ts'
import { isCompany, type PersonName, splitName } from './person-names.ts'
import { type PlacedLine, placeOf, type ReadDocument } from './places.ts'

const allocation = /^Allocation \d{1,3}\s?:?\s*[\d,]{1,15} shares? \((\d{1,3}(?:\.\d{1,6})?)\s?%\)/i
/** Holders of one allocation, with the lines of their addresses. */
const reach = 12

export function peopleInAllocations({ pages, country }: ReadDocument): Owners {
  const found: Owners = { people: [], companies: [] }
  for (const { lines } of pages)
    for (const [index, line] of lines.entries()) {
      const share = allocation.exec(line.text)?.[1]
      if (share === undefined || Number(share) > 100) continue
      const below = lines.slice(index + 1, index + 1 + reach)
      const end = below.findIndex(({ text }) => allocation.test(text) || /^\p{Lu}[\p{Lu}\s]{6,}$/u.test(text))
      const holders = (end === -1 ? below : below.slice(0, end)).flatMap((one) => holderIn(one, country))
      // Nobody says how much of it each of several has.
      const owned = holders.length === 1 ? { ownership_percent: String(Number(share)) } : {}
      const doubts: Person['doubts'] = holders.length === 1 ? [] : ['number']
      for (const { name, person, at } of holders)
        if (person) found.people.push({ ...person, ...owned, is_owner: true, doubts: [...doubts], place: placeOf(at) })
        else found.companies.push({ name, ...owned, place: placeOf(at) })
    }
  return found
}

interface Holder {
  name: string
  person: PersonName | undefined
  at: PlacedLine
}

function holderIn(line: PlacedLine, country: string | null): Holder[] {
  const name = line.text.trim()
  if (isCompany(name)) return [{ name, person: undefined, at: line }]
  const person = splitName(name, country)
  return person ? [{ name, person, at: line }] : []
}

import type { Owners, Person } from '../readings/owners.ts'
import type { Parties } from '../readings/parties.ts'
import type { Doubt } from '../readings/reading.ts'
import { confidenceOf } from './confidence.ts'
import type { FoundFact } from './found-fact.ts'
import { ownerDoubts } from './standing-doubts.ts'

export interface CompanyOwnerFound {
  name: string
  ownership_percent?: string
  page: number
  line: number
}

const fields = ['first_name', 'last_name', 'ownership_percent', 'email', 'role', 'birth_date'] as const

/** Initials alone are a degree, or what is left of a name. */
function nameDoubts({ first_name = '', last_name = '', is_order_unsure }: Person): Doubt[] {
  const isWhole = [first_name, last_name].every((name) => /\p{L}{2}/u.test(name))
  return isWhole && !is_order_unsure ? [] : ['number']
}

/** Every person is a row of facts. */
export function ownerFacts(
  { people, companies }: Owners,
  parties: Parties,
): { facts: FoundFact[]; company_owners: CompanyOwnerFound[] } {
  const facts = people.flatMap((person: Person, index): FoundFact[] => {
    const confidence = confidenceOf([...person.doubts, ...nameDoubts(person), ...ownerDoubts('owner', parties)])
    const { page, line, words } = person.place
    return fields.flatMap((field): FoundFact[] => {
      const text = person[field]
      return text ? [{ fact: `owner.${field}`, text, confidence, page, line, words, row: index + 1 }] : []
    })
  })
  const company_owners = companies.map(({ name, ownership_percent, place }) => ({
    name: name.slice(0, 200),
    ...(ownership_percent !== undefined && { ownership_percent }),
    page: place.page,
    line: place.line,
  }))
  return { facts, company_owners }
}

// Shareholders in the register of New Zealand: `Allocation 1: 600 shares (60.00%)`, and below it each of those who hold
// them, with an address.
import { mentionsSubject, type Names } from './company-names.ts'
import { isOrganisation } from './organisations.ts'
import type { CompanyOwner, Owners, Person } from './owners.ts'
import { isCompany, splitName } from './person-names.ts'
import { type PlacedLine, placeOf, type ReadDocument } from './places.ts'

const allocation = /^Allocation \d{1,3}\s?:?\s*[\d,]{1,15} shares? \((\d{1,3}(?:\.\d{1,6})?)\s?%\)/i
/** Holders of one allocation, with the lines of their addresses. */
const reach = 12
const headLines = 8

export function peopleInAllocations({ pages, country }: ReadDocument, names: Names): Owners {
  const found: Owners = { people: [], companies: [] }
  const head = pages[0]?.lines.slice(0, headLines).map(({ text }) => text) ?? []
  if (!head.some((text) => /\b(?:companies (?:office|register)|company extract)\b/i.test(text))) return found
  for (const { lines } of pages) {
    const first = lines.findIndex(({ text }) => allocation.test(text))
    if (first === -1 || isOfOther(lines.slice(Math.max(0, first - 3), first), names)) continue
    for (const [index, line] of lines.entries()) {
      const share = Number(allocation.exec(line.text)?.[1])
      if (Number.isNaN(share) || share > 100) continue
      const { people, companies, is_whole } = holdersIn(lines.slice(index + 1, index + 1 + reach), country)
      // Nobody says how much of it each of several has.
      const isSole = is_whole && people.length + companies.length === 1
      const owned = isSole ? { ownership_percent: String(share) } : {}
      for (const one of people)
        found.people.push({ ...one, ...owned, is_owner: true, doubts: isSole ? [] : ['number'] })
      for (const one of companies) found.companies.push({ ...one, ...owned })
    }
  }
  return found
}

/** `Shareholders of Moutere Holdings Limited` */
function isOfOther(above: readonly PlacedLine[], names: Names): boolean {
  return above.some(({ text }) => isOrganisation(text) && !mentionsSubject(text, names))
}

interface Holders {
  people: Omit<Person, 'doubts'>[]
  companies: CompanyOwner[]
  /** Everything up to the next part was understood. */
  is_whole: boolean
}

function holdersIn(lines: readonly PlacedLine[], country: string | null): Holders {
  const found: Holders = { people: [], companies: [], is_whole: true }
  for (const line of lines) {
    const text = line.text.trim()
    if (allocation.test(text)) break
    if (text === '') continue
    const person = isPersonOfRegister(text) ? splitName(text, country) : undefined
    if (isCompany(text)) found.companies.push({ name: text, place: placeOf(line) })
    else if (person) found.people.push({ ...person, place: placeOf(line) })
    // `HISTORIC SHAREHOLDERS`
    else if (/^[\p{Lu} ]{6,}$/u.test(text)) break
    else if (!/\d/.test(text)) {
      found.is_whole = false
      break
    }
  }
  return found
}

/** `KERSHAW, Lynette Joy` or `Lynette Joy KERSHAW` */
function isPersonOfRegister(text: string): boolean {
  return /^[\p{Lu}'’ -]{2,40}, \p{Lu}\p{Ll}[\p{L} '’-]*$|^(?:\p{Lu}\p{Ll}[\p{L}'’-]* )+[\p{Lu}'’ -]{2,40}$/u.test(text)
}

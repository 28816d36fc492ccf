// People who own the business: from tables with a header row, from forms, and from lists below a heading. Totals, option
// pools, funds and companies are not people; a company that owns is told as such.
import { people as peopleWords } from '../words/people-words.ts'
import { wordsOf } from '../words/phrases.ts'
import type { Names } from './company-names.ts'
import { inOneOrder } from './names-in-one-order.ts'
import type { Owners, Person } from './owners.ts'
import { peopleByContribution } from './people-by-contribution.ts'
import { peopleInAllocations } from './people-in-allocations.ts'
import { peopleInBoxes } from './people-in-boxes.ts'
import { peopleInFirmenbuch } from './people-in-firmenbuch.ts'
import { peopleOfForms } from './people-in-forms.ts'
import { peopleOfRecords } from './people-in-records.ts'
import { peopleInStacks } from './people-in-stacks.ts'
import { checkShares, peopleInTables } from './people-in-tables.ts'
import { peopleInTurns } from './people-in-turns.ts'
import { peopleOnConfirmations } from './people-on-confirmations.ts'
import { peopleOnPersonalStatements } from './people-on-personal-statements.ts'
import { peopleOnSchedules } from './people-on-schedules.ts'
import { ownerInParts } from './person-in-parts.ts'
import type { PersonName } from './person-names.ts'
import type { ReadDocument } from './places.ts'
import { soleOwnerIn } from './sole-owners.ts'

const mostPeople = 100

/** `writer`: who has written it, if it is an e-mail of the subject's own. */
export function readOwners(document: ReadDocument, names: Names, writer?: PersonName): Owners {
  const onForms = [
    peopleOnSchedules(document, names),
    peopleOnConfirmations(document),
    peopleInFirmenbuch(document),
    peopleInAllocations(document, names),
    peopleOnPersonalStatements(document),
  ]
  const found =
    onForms.find(({ people, companies }) => people.length + companies.length > 0) ??
    ownersElsewhere(document, names, writer)
  const isShared = [...found.people, ...found.companies].some(isOwned)
  const sole = isShared ? { people: [], companies: [] } : soleOwnerIn(document)
  const people = merged(inOneOrder(document, [...found.people, ...sole.people]), isAll(found))
  const whole = checkShares({ people, companies: [...found.companies, ...sole.companies] }, new Set())
  return { people: whole.people.slice(0, mostPeople), companies: whole.companies.slice(0, 20) }
}

function ownersElsewhere(document: ReadDocument, names: Names, writer: PersonName | undefined): Owners {
  const boxed = [...peopleInBoxes(document), ...peopleInTurns(document), ...peopleInStacks(document, names)]
  const found = peopleInTables(document)
  if (boxed.length > 0) {
    // The rows of boxes are tables too, but of labels.
    found.people = [...boxed, ...found.people.filter(isOwned)]
  } else if (found.people.length === 0) {
    const contributed = peopleByContribution(document)
    const forms = peopleOfForms(document, names)
    const records = peopleOfRecords(document, writer)
    const listed = records.people.length > forms.people.filter(isOwned).length ? records : forms
    const own = contributed.people.length > 0 && !listed.people.some(isOwned) ? contributed : listed
    // A director is no owner for being one.
    for (const person of own.people) if (!isOwned(person) && !person.is_owner) person.doubts.push('label')
    found.people.push(...own.people)
    found.companies.push(...own.companies)
    const inParts = found.people.length + found.companies.length === 0 ? ownerInParts(document) : undefined
    if (inParts) found.people.push(inParts)
  }
  return found
}

function isOwned({ ownership_percent }: Pick<Person, 'ownership_percent'>): boolean {
  return ownership_percent !== undefined
}

/** Whether every part of the business is in a list of several: who stands there twice holds two parts. */
function isAll({ people, companies }: Owners): boolean {
  const owners = [...people, ...companies]
  const sum = owners.reduce((total, { ownership_percent = 0 }) => total + Number(ownership_percent), 0)
  const names = new Set(people.map(({ first_name, last_name }) => `${first_name} ${last_name}`))
  return Math.abs(sum - 100) < 0.5 && names.size + companies.length > 1
}

/** The same person once, with everything that is said of them. */
function merged(list: readonly Person[], isWhole: boolean): Person[] {
  const byName = new Map<string, Person>()
  for (const person of list) {
    const name = wordsOf(`${person.first_name} ${person.last_name}`).join(' ')
    const known = byName.get(name)
    if (!known) {
      byName.set(name, person)
      continue
    }
    const shares = [known, person].flatMap(({ ownership_percent }) => ownership_percent ?? []).map(Number)
    const isTwoParts = shares.length === 2 && isWhole && isInOneList(known, person)
    if (!isTwoParts && new Set(shares).size > 1) known.doubts.push('number')
    const isBetter = known.ownership_percent === undefined && person.ownership_percent !== undefined
    const one = isBetter ? { ...known, ...person } : { ...person, ...known }
    const sum = shares.reduce((total, share) => total + share, 0)
    byName.set(name, isTwoParts ? { ...one, ownership_percent: String(Number(sum.toFixed(4))) } : one)
  }
  return [...byName.values()]
}

function isInOneList(one: Person, other: Person): boolean {
  const isNear = one.place.page === other.place.page && Math.abs(one.place.line - other.place.line) <= longestList
  const isSaid = (person: Person) => wordsOf(person.place.words).some((word) => peopleWords.votes.has(word))
  return isNear && one.birth_date === other.birth_date && one.role === other.role && !isSaid(one) && !isSaid(other)
}

const longestList = 30

// The words for people: the columns and labels that are about them, what they are called, and what they own.
import { languages, phrasesOf, setOf } from './languages.ts'
import { namesIn } from './phrases.ts'

export type PersonField = 'first_name' | 'last_name' | 'ownership_percent' | 'email' | 'role' | 'birth_date'

const personFields = ['first_name', 'last_name', 'ownership_percent', 'email', 'role', 'birth_date', 'name'] as const
export const personColumns = new Map<string, PersonField | 'name'>(
  personFields.flatMap((field) =>
    languages.flatMap(({ people }) => people[field].flatMap(namesIn).map((name) => [name, field] as const)),
  ),
)
export const people = {
  headings: setOf((words) => words.people.headings),
  numbered: phrasesOf((words) => words.people.numbered),
  /** Who is called so owns the business, whether or not a share is said. */
  owners: setOf((words) => words.people.owners),
  not_people: setOf((words) => words.people.not_people),
  roles: setOf((words) => words.people.roles),
  titles: setOf((words) => words.people.titles),
  former: setOf((words) => words.people.former),
  /** Headings of columns that count shares. */
  shares: setOf((words) => words.people.shares),
  /** In the heading of a column: of the votes. */
  votes: setOf((words) => words.people.votes),
  /** Headings of columns: what each owner has put in. */
  contributions: setOf((words) => words.people.contributions),
}

/** Who owns all of a business. */
export const soleOwners = phrasesOf((words) => words.sole_owners)

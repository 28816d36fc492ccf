// Who owns a business, as a document says it.
import type { Place } from './places.ts'
import type { Doubt } from './reading.ts'

export interface Person {
  first_name?: string
  last_name?: string
  ownership_percent?: string
  email?: string
  role?: string
  birth_date?: string
  /** Which name is the first and which the last is a guess. */
  is_order_unsure?: boolean
  /** How many shares they hold. */
  share_count?: number
  /** The label calls them an owner. */
  is_owner?: boolean
  doubts: Doubt[]
  place: Place
}

/** A company that owns a part of the business. */
export interface CompanyOwner {
  name: string
  ownership_percent?: string
  share_count?: number
  place: Place
}

export interface Owners {
  people: Person[]
  companies: CompanyOwner[]
}

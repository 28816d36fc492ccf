// A programme without terms and what the tests of matching put into one.
import { dayNumber } from '../../src/areas/funding-recommendations/matching/days.ts'
import type { ProgramTerms, RecipientTerms } from '../../src/areas/funding-recommendations/matching/rules.ts'

export const day = dayNumber('2026-03-31')
export const anywhere: RecipientTerms = { id: 'rcp_1', countries: [], today: day }
export const usd = (amount: string) => ({ amount, currency: 'USD' })
export const eur = (amount: string) => ({ amount, currency: 'EUR' })

export const blank: ProgramTerms = {
  id: 'prg_1',
  version: 1,
  funding_type: 'term_loan',
  opens_on: null,
  closes_on: null,
  amount: null,
  term_months: null,
  time_to_fund_days: null,
  eligibility: [],
}

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileCatalogue } from '../matching/catalogue.ts'
import { evaluateAll } from '../matching/evaluation.ts'
import { factsOf } from '../matching/project-facts.ts'
import type { ProgramTerms } from '../matching/rules.ts'
import { entriesOf, isLong, pagesOf, programKey, rankKey, ranksByProgram, ranksOf } from './match-pages.ts'

const types = ['grant', 'equity', 'term_loan']
const tail = (number: number) => String(number).padStart(26, '0')

function evaluationOf(sizes: readonly number[]) {
  let number = 0
  const catalogues = sizes.map((size, recipient) => {
    const programs = Array.from({ length: size }, (): ProgramTerms => {
      const funding_type = types[number % 3] ?? 'other'
      const eligibility = [
        {
          id: 'a',
          criterion: 'credit_score',
          operator: 'gte',
          value: number % 900,
          effect: 'required',
          weight: 1,
        } as const,
      ]
      const open = { opens_on: null, closes_on: null, amount: null, term_months: null, time_to_fund_days: null }
      return { id: `prg_${tail(number++)}`, version: number, funding_type, ...open, eligibility }
    })
    return compileCatalogue(programs, { id: `rcp_${tail(recipient)}`, countries: [], today: 0 }, 0)
  })
  return evaluateAll(catalogues, factsOf({ credit_score: 500 }, 0), 'prj_1')
}

test('for any catalogues: every match is found by its rank, its programme, its type and its recipient', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(30), { minLength: 1, maxLength: 6 }), (sizes) => {
      const evaluation = evaluationOf(sizes)
      const pages = [...pagesOf(evaluation)]
      const entries = pages.filter(({ list }) => list === 'rank').flatMap(entriesOf)
      expect(entries.map(({ rank }) => rank)).toEqual(Array.from(evaluation.order, (_, index) => index + 1))
      for (const entry of entries) {
        const key = programKey(entry.program_id)
        const page = pages.findLast(({ list, first_key }) => list === 'program' && first_key <= key)
        expect(page && ranksByProgram(page).get(key)).toBe(entry.rank)
        const listed = (name: string, type?: string) =>
          pages.filter(({ list }) => list === name).flatMap((one) => ranksOf(one, type))
        expect(listed(`type:${entry.funding_type}`)).toContain(entry.rank)
        expect(listed(`recipient:${entry.recipient_id}`, entry.funding_type)).toContain(entry.rank)
        const other = types.find((type) => type !== entry.funding_type)
        expect(listed(`recipient:${entry.recipient_id}`, other)).not.toContain(entry.rank)
      }
    }),
    { numRuns: 30 },
  )
})

test('a recipient with many programmes has a list for each type, and pages follow each other without a gap', () => {
  const pages = [...pagesOf(evaluationOf([9001, 3]))]
  const own = pages.filter(({ list }) => list === `recipient:rcp_${tail(0)}`)
  expect(own.map(({ content }) => content.split('\n').length)).toEqual([4000, 4000, 1001])
  expect(own[0] && isLong(own[0])).toBe(true)
  const small = pages.filter(({ list }) => list === `recipient:rcp_${tail(1)}`)
  expect([small.length, small[0] && isLong(small[0])]).toEqual([1, false])
  for (const type of types) {
    const ranks = pages.filter(({ list }) => list === `recipient:rcp_${tail(0)}:${type}`).flatMap((one) => ranksOf(one))
    expect(ranks).toEqual(own.flatMap((one) => ranksOf(one, type)))
  }
  expect(pages.filter(({ list }) => list === 'rank').map(({ first_key }) => first_key)).toEqual(
    Array.from({ length: 10 }, (_, index) => rankKey(index * 1000 + 1)),
  )
})

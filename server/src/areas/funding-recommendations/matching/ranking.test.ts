import { describe, expect, test } from 'vitest'
import { createSeededRandom } from '../../../../test/faults/seeded-random.ts'
import { anywhere, blank, day } from '../../../../test/matching/terms.ts'
import { compileCatalogue } from './catalogue.ts'
import { evaluateAll } from './evaluation.ts'
import { factsOf } from './project-facts.ts'
import { hashOf, rankPrograms } from './ranking.ts'
import type { ProgramTerms, Rule } from './rules.ts'

function program(id: string, rules: Partial<Rule>[], terms: Partial<ProgramTerms> = {}): ProgramTerms {
  const eligibility = rules.map((one, index) => ({ ...rule, id: `rule_${index}`, ...one }))
  return { ...blank, ...terms, id, eligibility }
}

const rule: Rule = { id: '', criterion: 'credit_score', operator: 'gte', value: 600, effect: 'required', weight: 1 }
const values = { credit_score: 650, employee_count: 40, match_funding_percent: 0.24 }
const days = (count: number) => ({ time_to_fund_days: { min: count, max: count } })

function ranked(...catalogues: ProgramTerms[][]): (string | undefined)[] {
  const compiled = catalogues.map((programs) => compileCatalogue(programs, anywhere, day))
  const ids = catalogues.flat().map(({ id }) => id)
  return Array.from(evaluateAll(compiled, factsOf(values, day), 'prj_1').order, (index) => ids[index])
}

const unliked: Partial<Rule> = { criterion: 'employee_count', operator: 'gte', value: 50, effect: 'preferred' }
const open: Partial<Rule> = { criterion: 'business_credit_score', value: 50 }

describe('the rank', () => {
  test('goes by outcome first, over all recipients', () => {
    const of = {
      ineligible: program('ineligible', [{ value: 900 }]),
      near_miss: program('near_miss', [{ value: 660 }]),
      undetermined: program('undetermined', [open]),
      eligible: program('eligible', [{ value: 600 }]),
    }
    const expected = ['eligible', 'undetermined', 'near_miss', 'ineligible']
    expect(ranked([of.ineligible, of.eligible], [of.near_miss, of.undetermined])).toEqual(expected)
  })

  test('then by score downward, nothing decided last', () => {
    const none = program('none', [open])
    const low = program('low', [open, {}, unliked])
    const high = program('high', [open, {}])
    expect(ranked([none, low, high])).toEqual(['high', 'low', 'none'])
  })

  test('of near misses by the relative gap upward, a year of days like the whole of a bound', () => {
    const tenth = program('tenth', [{ criterion: 'employee_count', value: 44 }])
    const twelfth = program('twelfth', [{ value: 710 }])
    const month = program('month', [], { opens_on: '2026-04-20' })
    const half = program('half', [], { opens_on: '2026-09-30' })
    expect(ranked([half, tenth, twelfth, month])).toEqual(['month', 'twelfth', 'tenth', 'half'])
  })

  test('of near misses with equal gaps is not upset by decimals', () => {
    const exact = program('exact', [{ criterion: 'employee_count', value: 50 }], days(9))
    const decimals = program('decimals', [{ criterion: 'match_funding_percent', value: 0.3 }], days(1))
    expect(ranked([exact, decimals])).toEqual(['decimals', 'exact'])
  })

  test('then by the middle of the days to funding, one side counting for both, absent last', () => {
    const within = (id: string, min: number | null, max: number | null) =>
      program(id, [], { time_to_fund_days: { min, max } })
    const programs = [
      within('absent', null, null),
      within('ten', 10, null),
      within('six', 2, 10),
      within('three', null, 3),
    ]
    const half = within('six and a half', 6, 7)
    expect(ranked([program('silent', []), ...programs, half]).slice(0, 4)).toEqual([
      'three',
      'six',
      'six and a half',
      'ten',
    ])
  })

  test('then by a hash of project and programme', () => {
    const ids = ['a', 'b', 'c', 'd', 'e']
    const expected = ids.toSorted((a, b) => hashOf('prj_1', a) - hashOf('prj_1', b))
    expect(ranked(ids.map((id) => program(id, [])))).toEqual(expected)
  })

  test('is a different order of equals for another project', () => {
    const orders = ['prj_1', 'prj_2', 'prj_3'].map((project) =>
      ['a', 'b', 'c', 'd', 'e'].toSorted((a, b) => hashOf(project, a) - hashOf(project, b)).join(''),
    )
    expect(new Set(orders).size).toBeGreaterThan(1)
  })

  test('of many programmes is the order that comparing them gives', () => {
    const random = createSeededRandom(5)
    const size = 20_000
    const numbers = (below: number) => Array.from({ length: size }, () => random.below(below))
    const outcomes = Uint8Array.from(numbers(4))
    const all = {
      outcomes,
      scores: Int8Array.from(numbers(102), (score, index) => ((outcomes[index] ?? 0) < 2 ? score - 1 : -1)),
      gaps: Uint32Array.from(numbers(2000), (gap, index) => (outcomes[index] === 2 ? gap * 2_000_003 : 0)),
      speeds: Uint16Array.from(numbers(40), (speed) => (speed === 0 ? 0xffff : speed * 97)),
      hashes: Uint16Array.from(numbers(2 ** 14)),
    }
    const compare = (a: number, b: number) =>
      (all.outcomes[a] ?? 0) - (all.outcomes[b] ?? 0) ||
      (all.scores[b] ?? 0) - (all.scores[a] ?? 0) ||
      (all.gaps[a] ?? 0) - (all.gaps[b] ?? 0) ||
      (all.speeds[a] ?? 0) - (all.speeds[b] ?? 0) ||
      (all.hashes[a] ?? 0) - (all.hashes[b] ?? 0) ||
      a - b
    const expected = Array.from({ length: size }, (_, index) => index).sort(compare)
    expect(Array.from(rankPrograms(all))).toEqual(expected)
  })
})

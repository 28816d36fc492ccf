import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { naiveMatch, naiveRanking } from '../../../../test/matching/naive-evaluator.ts'
import { type RandomCase, randomCase } from '../../../../test/matching/random-catalogues.ts'
import { anywhere, blank, day } from '../../../../test/matching/terms.ts'
import { compileCatalogue } from './catalogue.ts'
import { dateOfDay, dayNumber } from './days.ts'
import { evaluateAll } from './evaluation.ts'
import { nextChange } from './next-change.ts'
import { type CriteriaValues, factsOf } from './project-facts.ts'
import type { ProgramTerms, Rule } from './rules.ts'

const lookedAhead = 366

function changeOf({ recipients, values, day, projectId }: RandomCase) {
  const today = dayNumber(day)
  const catalogues = recipients.map(({ recipient, programs }) => compileCatalogue(programs, recipient, today))
  const next = nextChange(evaluateAll(catalogues, factsOf(values, today), projectId), values, today)
  const inDays = (date: number | null, from: number) => (date === null ? Number.POSITIVE_INFINITY : date - from)
  return {
    utc: inDays(next.day, today),
    recipients: recipients.map(({ recipient }, index) => inDays(next.recipients[index] ?? null, recipient.today)),
  }
}

/** Outcome, score, rank and the result of every rule, so many days later: in UTC, and at each recipient. */
function naiveAfter({ recipients, values, day, projectId }: RandomCase, utc: number, daysOf: readonly number[]) {
  const later = dateOfDay(dayNumber(day) + utc)
  const all = recipients.flatMap(({ recipient, programs }, index) => {
    const moved = { ...recipient, today: recipient.today + (daysOf[index] ?? 0) }
    return programs.map((program) => naiveMatch(program, moved, values, later))
  })
  const matches = all.map(({ outcome, score, reasons }) => [
    outcome,
    score,
    reasons.map(({ rule_id, result }) => `${rule_id} ${result}`),
  ])
  return JSON.stringify({ matches, order: naiveRanking(all, projectId).map(({ id }) => id) })
}

describe('the day from which on a calculation may come out differently', () => {
  test('before it, a full recalculation by the naive evaluator gives the same, whichever clock is ahead', {
    timeout: 300_000,
  }, () => {
    let [late, exact] = [0, 0]
    fc.assert(
      fc.property(randomCase, fc.nat(), fc.array(fc.integer({ min: -1, max: 1 })), (one, drawn, ahead) => {
        const { utc, recipients } = changeOf(one)
        const now = naiveAfter(one, 0, [])
        const first = Math.min(lookedAhead, utc, ...recipients)
        expect(first).toBeGreaterThan(0)
        // The last day before it, the next one, and any in between.
        for (const days of new Set([1, first - 1, 1 + (drawn % first)])) {
          if (days >= utc) continue
          const daysOf = recipients.map((limit, index) => Math.max(0, Math.min(limit - 1, days + (ahead[index] ?? 0))))
          expect(naiveAfter(one, days, daysOf)).toBe(now)
        }
        if (first === lookedAhead) return
        late += first > 1 ? 1 : 0
        exact +=
          naiveAfter(
            one,
            first,
            recipients.map(() => first),
          ) === now
            ? 0
            : 1
      }),
      { numRuns: 800, seed: 11 },
    )
    // It is not simply the next day, and mostly something is different then.
    expect(late).toBeGreaterThan(150)
    expect(exact).toBeGreaterThan(150)
  })
})

const rule = (criterion: string, operator: Rule['operator'], value: unknown): Rule => ({
  ...{ id: `${criterion} ${operator}`, criterion, operator, value, effect: 'required', weight: 1 },
})

function evaluationOf(values: CriteriaValues, ...programs: Partial<ProgramTerms>[]) {
  const catalogue = compileCatalogue(
    programs.map((terms, index) => ({ ...blank, id: `prg_${index}`, ...terms })),
    anywhere,
    day,
  )
  return evaluateAll([catalogue], factsOf(values, day), 'prj_1')
}

function inDays(values: CriteriaValues, ...programs: Partial<ProgramTerms>[]) {
  const next = nextChange(evaluationOf(values, ...programs), values, day)
  const from = (date: number | null | undefined) => (date == null ? null : date - day)
  return [from(next.day), from(next.recipients[0])]
}
const dateAt = (days: number) => dateOfDay(day + days)

describe('in so many days', () => {
  const founded = { founded_on: dateAt(-100) }

  test('never, where no rule knows the day', () => {
    const score = rule('credit_score', 'gte', 600)
    expect(inDays({ credit_score: 590, ...founded }, { eligibility: [score] })).toEqual([null, null])
  })

  test('when a window opens, and the day after it closes', () => {
    expect(inDays({}, { opens_on: dateAt(9) }, { closes_on: dateAt(20) })).toEqual([null, 9])
    expect(inDays({}, { closes_on: dateAt(20) })).toEqual([null, 21])
  })

  test('when the business is old enough, but not where its months are told as a number', () => {
    const eligibility = [rule('time_in_business_months', 'gte', 4)]
    const [days] = inDays(founded, { eligibility })
    expect(days).toBeGreaterThan(15)
    expect(days).toBeLessThan(25)
    expect(inDays({ ...founded, time_in_business_months: 3 }, { eligibility })).toEqual([null, null])
  })

  test('at the latest after a year, where the founding or the discharge is further ahead than that', () => {
    const old = { eligibility: [rule('time_in_business_months', 'gte', 1)] }
    expect(inDays({ founded_on: dateAt(400) }, old)).toEqual([366, null])
    const discharged = { eligibility: [rule('bankruptcy.months_since_discharge', 'gte', 1)] }
    expect(inDays({ bankruptcy: { has: true, discharged_on: dateAt(400) } }, discharged)).toEqual([366, null])
    expect(inDays({ bankruptcy: { has: false } }, discharged)).toEqual([null, null])
  })

  test('when a day that is told from today passes the one of the project', () => {
    const eligibility = [rule('needed_by', 'after', 'today+30 days')]
    expect(inDays({ needed_by: dateAt(40) }, { eligibility })).toEqual([11, null])
    expect(inDays({}, { eligibility })).toEqual([null, null])
  })

  test('when one near miss overtakes another, which is then the better one', () => {
    const opening = { opens_on: dateAt(73) }
    const short = { eligibility: [rule('credit_score', 'gte', 700)] }
    // 73 days are a fifth of a year, 50 points a fourteenth of what is asked.
    expect(inDays({ credit_score: 650 }, opening, short)).toEqual([47, 47])
    expect(inDays({ credit_score: 650 }, opening)).toEqual([null, 73])
  })
})

describe('looking ahead', () => {
  const values = { credit_score: 650 }
  const openings = Array.from({ length: 1000 }, () => ({ opens_on: dateAt(73) }))
  const short = Array.from({ length: 1000 }, () => ({ eligibility: [rule('credit_score', 'gte', 700)] }))
  const evaluation = evaluationOf(values, ...openings, ...short)
  const look = (budget: number) => {
    let checkpoints = 0
    const next = nextChange(evaluation, values, day, { checkpoint: () => void checkpoints++, budget })
    return { days: next.recipients.map((date) => (date ?? Number.NaN) - day), checkpoints }
  }

  test('takes as much work for a thousand near misses of one kind as for one, and can be stopped every day', () => {
    // Each day two gaps, their order, and one window.
    expect(look(47 * 4)).toEqual({ days: [47], checkpoints: 47 })
  })

  test('ends when it has taken too much work, and the calculation is then stale early', () => {
    expect(look(10 * 4).days).toEqual([11])
    expect(look(0)).toEqual({ days: [1], checkpoints: 1 })
  })
})

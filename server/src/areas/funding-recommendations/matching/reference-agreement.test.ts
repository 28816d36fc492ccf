import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { naiveMatch, naiveRanking } from '../../../../test/matching/naive-evaluator.ts'
import { families, type RandomCase, randomCase } from '../../../../test/matching/random-catalogues.ts'
import { compileCatalogue } from './catalogue.ts'
import { dayNumber } from './days.ts'
import { evaluateAll, outcomes } from './evaluation.ts'
import { explain } from './explanation.ts'
import { factsOf } from './project-facts.ts'
import { operatorsFor, subjectNames } from './subjects.ts'

describe('the engine agrees with a naive evaluator', () => {
  test('on outcome, score, rank, counts, usefulness, every reason and what waiting does to it, of 10,000 random catalogues', {
    timeout: 300_000,
  }, () => {
    fc.assert(
      fc.property(randomCase, (one) => {
        const [evaluated, expected] = [asEvaluated(one), asExpected(one)]
        // The comparison of vitest, which shows the difference, takes most of the time.
        if (!isDeepStrictEqual(evaluated, expected)) expect(evaluated).toEqual(expected)
      }),
      { numRuns: 10_000, seed: 7 },
    )
  })

  test('with every operator of every criterion', () => {
    const drawn = Object.entries(families).map(([name, { asked }]) => [name, Object.keys(asked).toSorted()])
    const allowed = subjectNames.map((name) => [name, [...(operatorsFor(name) ?? [])].toSorted()])
    expect(Object.fromEntries(drawn)).toEqual(Object.fromEntries(allowed))
  })
})

const ofTime = new Set([
  ...['time_in_business_months', 'founded_on', 'today'],
  ...['bankruptcy', 'bankruptcy.discharged_on', 'bankruptcy.months_since_discharge'],
])

function asEvaluated({ recipients, values, day, projectId }: RandomCase) {
  const today = dayNumber(day)
  const catalogues = recipients.map(({ recipient, programs }) => compileCatalogue(programs, recipient, today))
  const evaluation = evaluateAll(catalogues, factsOf(values, today), projectId)
  const ids = catalogues.flatMap(({ ids }) => Array.from({ length: ids.length }, (_, program) => ids.at(program)))
  const matches = recipients
    .flatMap(({ recipient, programs }) => programs.map((program) => ({ program, recipient })))
    .map(({ program, recipient }, index) => {
      const { reasons, missing_criteria, estimated_amount } = explain(program, recipient, { values, day: today })
      const score = evaluation.scores[index]
      return {
        id: program.id,
        outcome: outcomes[evaluation.outcomes[index] ?? -1],
        score: score === -1 ? null : score,
        reasons: reasons
          .map(({ rule_id, criterion, result, gap, remedy }) => ({
            ...{ rule_id, result, gap },
            does_waiting_help: gap && ofTime.has(criterion) ? remedy === 'time' : null,
          }))
          .toSorted((a, b) => (a.rule_id < b.rule_id ? -1 : 1)),
        missing_criteria,
        estimated_amount,
      }
    })
  return {
    matches,
    order: Array.from(evaluation.order, (index) => ids[index]),
    counts: evaluation.counts,
    most_useful_criteria: evaluation.most_useful_criteria,
  }
}

function asExpected({ recipients, values, day, projectId }: RandomCase) {
  const all = recipients.flatMap(({ recipient, programs }) =>
    programs.map((program) => naiveMatch(program, recipient, values, day)),
  )
  const settled = all.flatMap(({ settled_by }) => settled_by ?? [])
  const numberOf = (outcome: string) => all.filter((match) => match.outcome === outcome).length
  return {
    matches: all.map(({ id, outcome, score, reasons, missing_criteria, estimated_amount }) => ({
      id,
      outcome,
      score,
      reasons: reasons.toSorted((a, b) => (a.rule_id < b.rule_id ? -1 : 1)),
      missing_criteria,
      estimated_amount,
    })),
    order: naiveRanking(all, projectId).map(({ id }) => id),
    counts: {
      evaluated: all.length,
      eligible: numberOf('eligible'),
      undetermined: numberOf('undetermined'),
      near_miss: numberOf('near_miss'),
      ineligible: numberOf('ineligible'),
    },
    most_useful_criteria: [...new Set(settled)]
      .map((criterion) => ({ criterion, would_settle: settled.filter((other) => other === criterion).length }))
      .toSorted((a, b) => b.would_settle - a.would_settle || (a.criterion < b.criterion ? -1 : 1)),
  }
}

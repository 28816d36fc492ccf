// Why a programme fits a project or does not: every rule with its result, what it expects, what is known, and the gap.
// The same comparisons as in `evaluation.ts`, for one programme.
import { isRelativeDay } from '../../../building-blocks/contracts/relative-days.ts'
import { fromMinorUnits, type Money, toMinorUnits } from '../../../platform/values/money.ts'
import { criteriaByKey } from '../criteria/vocabulary.ts'
import { dateOfDay } from './days.ts'
import {
  evaluate,
  notApplicable,
  type Predicate,
  pass,
  predicateOf,
  type RangePredicate,
  underCondition,
  unknown,
} from './predicates.ts'
import { type CriteriaValues, factsOf, type ProjectFacts, withToday } from './project-facts.ts'
import { sentenceOf } from './reason-sentences.ts'
import { type ProgramTerms, type RecipientTerms, rulesOf, type StatedRule, today } from './rules.ts'

export interface Reason {
  rule_id: string
  criterion: string
  result: 'pass' | 'fail' | 'unknown' | 'not_applicable'
  effect: 'required' | 'preferred'
  expected: { operator: string; value: unknown }
  actual: unknown
  gap: Gap | null
  message: string
  /** What the programme itself says about the rule. */
  note: string | null
  remedy: 'answer' | 'time' | 'none'
}

interface Gap {
  unit: string
  actual: string | number
  bound: string | number
  short_by: string | number
}

interface Explanation {
  reasons: Reason[]
  missing_criteria: string[]
  estimated_amount: { min: Money; max: Money } | null
}

/** What is known of the project, and the day it is known of. */
interface Known {
  values: CriteriaValues
  day: number
}

export function explain(program: ProgramTerms, recipient: RecipientTerms, { values, day }: Known): Explanation {
  const facts = withToday(factsOf(values, day), recipient.today)
  const missing = { required: new Set<string>(), preferred: new Set<string>() }
  const reasons = rulesOf(program, recipient).map((rule) => {
    const own = predicateOf(rule, day)
    const condition = rule.when && predicateOf(rule.when, day)
    const results = { own: evaluate(own, facts), condition: condition ? evaluate(condition, facts) : pass }
    const result = resultOf(rule, results)
    if (result === 'unknown') {
      if (results.own === unknown) noteMissing(missing[rule.effect], own, facts)
      if (condition && results.condition === unknown) noteMissing(missing[rule.effect], condition, facts)
    }
    const gap = result === 'fail' ? gapOf(own, facts) : null
    return {
      rule_id: rule.id,
      criterion: rule.criterion,
      result,
      effect: rule.effect,
      expected: { operator: rule.operator, value: rule.value ?? true },
      actual: actualOf(own, facts, values),
      gap,
      message: sentenceOf({ rule, predicate: own, condition, own: results.own, result, facts }),
      note: rule.message ?? null,
      remedy: rule.remedy ?? remedyOf(rule, own, facts),
    }
  })
  return {
    reasons: reasons.sort((a, b) => weightOf(a) - weightOf(b)),
    missing_criteria: [...new Set([...missing.required, ...missing.preferred])],
    estimated_amount: estimateOf(program, values),
  }
}

function resultOf({ isWish }: StatedRule, { own, condition }: { own: number; condition: number }): Reason['result'] {
  // A wish that was not stated.
  if (isWish && own === unknown) return 'not_applicable'
  switch (underCondition(own, condition)) {
    case pass:
      return 'pass'
    case unknown:
      return 'unknown'
    case notApplicable:
      return 'not_applicable'
    default:
      return 'fail'
  }
}

/** Where the values that are known do not compare, nothing is missing. */
function noteMissing(missing: Set<string>, { subject }: Predicate, facts: ProjectFacts): void {
  if (!facts[subject.number]) missing.add(subject.criterion)
}

/** What decides comes first: failures, then what is unknown, then what only matters for the score. */
function weightOf({ result, effect }: Reason): number {
  const byResult = { fail: 0, unknown: 1, pass: 4, not_applicable: 5 }[result]
  return byResult < 4 && effect === 'preferred' ? byResult + 2 : byResult
}

function remedyOf(rule: StatedRule, predicate: Predicate, facts: ProjectFacts): Reason['remedy'] {
  const { name, criterion, number } = predicate.subject
  const remedy = name === today ? 'time' : (criteriaByKey.get(criterion)?.remedy ?? 'none')
  const fact = facts[number]
  if (remedy !== 'time' || predicate.form !== 'range' || !fact) return remedy
  return waitingHurts(rule, predicate, fact.number) ? 'none' : 'time'
}

/** Whether a value that misses a bound does not come nearer to it with time. */
function waitingHurts({ value }: StatedRule, { subject, low, high }: RangePredicate, actual: number): boolean {
  // Months and the day itself grow.
  if (subject.measure === 'months' || subject.name === today) return actual >= low && actual > high
  // The day of something past stays; only a bound that is told from today moves, and always onward.
  const bounds = Array.isArray(value) ? value : [value]
  const isMoving = isRelativeDay(String(bounds.at(-1)))
  return actual < low || (actual > high && !isMoving)
}

function actualOf({ subject }: Predicate, facts: ProjectFacts, values: CriteriaValues): unknown {
  const { name, criterion, measure } = subject
  const fact = facts[subject.number]
  if (!fact) return values[criterion] ?? null
  if (values[name] != null) return values[name]
  if (measure === 'date') return Number.isFinite(fact.number) ? dateOfDay(fact.number) : null
  if (measure === 'months' || measure === 'number') return Number.isFinite(fact.number) ? fact.number : null
  return measure === 'boolean' ? fact.key === 'true' : fact.key
}

function gapOf(predicate: Predicate, facts: ProjectFacts): Gap | null {
  const fact = facts[predicate.subject.number]
  if (predicate.form !== 'range' || !fact || !Number.isFinite(fact.number)) return null
  const { low, high } = predicate
  const { name, measure } = predicate.subject
  const bound = fact.number < low ? low : high
  const distance = Math.abs(fact.number - bound)
  if (measure === 'money') {
    const shown = (units: number) => fromMinorUnits(units, fact.kind).amount
    return { unit: fact.kind, actual: shown(fact.number), bound: shown(bound), short_by: shown(distance) }
  }
  if (measure === 'date')
    return { unit: 'days', actual: dateOfDay(fact.number), bound: dateOfDay(bound), short_by: distance }
  const unit = measure === 'months' || name === 'term_months' ? 'months' : measure === 'percent' ? 'percent' : 'number'
  return { unit, actual: fact.number, bound, short_by: Number(distance.toPrecision(12)) }
}

/** The part of the requested amount that lies inside the programme's range. */
function estimateOf({ amount }: ProgramTerms, values: CriteriaValues): Explanation['estimated_amount'] {
  const requested = values.amount_requested as Money | undefined // safe because its form was checked
  if (!requested) return null
  const { currency } = requested
  const bounds = { min: amount?.min ?? null, max: amount?.max ?? null }
  if ([bounds.min, bounds.max].some((bound) => bound !== null && bound.currency !== currency)) return null
  const [low, high] = [unitsOf(bounds.min) ?? 0, unitsOf(bounds.max) ?? Number.POSITIVE_INFINITY]
  const wanted = unitsOf(requested) ?? 0
  if (wanted < low) return null
  return { min: fromMinorUnits(low, currency), max: fromMinorUnits(Math.min(wanted, high), currency) }
}

function unitsOf(money: Money | null): number | undefined {
  return money === null ? undefined : toMinorUnits(money)
}

// Why a programme fits a project or does not: every rule with its result, what it expects, what is known, and the gap.
// The same comparisons as in `evaluation.ts`, for one programme.
import { fromMinorUnits, type Money, toMinorUnits } from '../../../platform/values/money.ts'
import { criteriaByKey } from '../criteria/vocabulary.ts'
import { dateOfDay } from './days.ts'
import {
  evaluate,
  fail,
  near,
  notApplicable,
  type Predicate,
  pass,
  predicateOf,
  type Result,
  unknown,
} from './predicates.ts'
import { type CriteriaValues, factsOf, ofNumber, type ProjectFacts } from './project-facts.ts'
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

export interface Gap {
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
  const facts = factsOf(values, day).set(today, ofNumber(recipient.today))
  const missing = { required: new Set<string>(), preferred: new Set<string>() }
  const reasons = rulesOf(program, recipient).map((rule) => {
    const own = predicateOf(rule, day, rule.isWish)
    const condition = rule.when && predicateOf(rule.when, day)
    const result = resultOf(rule, evaluate(own, facts), condition && evaluate(condition, facts))
    if (result.name === 'unknown')
      for (const one of [own, result.isConditionUnknown ? condition : undefined])
        if (one && !facts.has(one.subject)) missing[rule.effect].add(one.criterion)
    const gap = result.name === 'fail' ? gapOf(own, facts) : null
    return {
      rule_id: rule.id,
      criterion: rule.criterion,
      result: result.name,
      effect: rule.effect,
      expected: { operator: rule.operator, value: rule.value ?? true },
      actual: actualOf(own, facts, values),
      gap,
      message: sentenceOf({ rule, predicate: own, facts, gap, result: result.name, condition }),
      note: rule.message ?? null,
      remedy: rule.remedy ?? remedyOf(own),
    }
  })
  return {
    reasons: reasons.sort((a, b) => weightOf(a) - weightOf(b)),
    missing_criteria: [...new Set([...missing.required, ...missing.preferred])],
    estimated_amount: estimateOf(program, values),
  }
}

/** What a rule comes to, given the result of its comparison and that of its condition. */
function resultOf(
  _rule: StatedRule,
  own: Result,
  condition: Result | undefined,
): { name: Reason['result']; isConditionUnknown: boolean } {
  const isOff = condition === fail || condition === near || condition === notApplicable
  if (own === notApplicable || isOff) return { name: 'not_applicable', isConditionUnknown: false }
  if (own === pass) return { name: 'pass', isConditionUnknown: false }
  if (condition === unknown) return { name: 'unknown', isConditionUnknown: true }
  return { name: own === unknown ? 'unknown' : 'fail', isConditionUnknown: false }
}

/** What decides comes first: failures, then what is unknown, then what only matters for the score. */
function weightOf({ result, effect }: Reason): number {
  const byResult = { fail: 0, unknown: 1, pass: 4, not_applicable: 5 }[result]
  return byResult < 4 && effect === 'preferred' ? byResult + 2 : byResult
}

function remedyOf({ criterion, measure }: Predicate): Reason['remedy'] {
  if (measure === 'date') return 'time'
  return criteriaByKey.get(criterion)?.remedy ?? 'none'
}

function actualOf({ subject, criterion, measure }: Predicate, facts: ProjectFacts, values: CriteriaValues): unknown {
  const fact = facts.get(subject)
  if (!fact) return values[criterion] ?? null
  if (subject in values) return values[subject]
  if (measure === 'date') return Number.isFinite(fact.number) ? dateOfDay(fact.number) : null
  if (measure === 'months' || measure === 'number') return Number.isFinite(fact.number) ? fact.number : null
  return measure === 'boolean' ? fact.key === 'true' : fact.key
}

function gapOf({ form, measure, subject, low, high }: Predicate, facts: ProjectFacts): Gap | null {
  const fact = facts.get(subject)
  if (form !== 'range' || !fact || !Number.isFinite(fact.number)) return null
  const bound = fact.number < low ? low : high
  const distance = Math.abs(fact.number - bound)
  if (measure === 'money') {
    const shown = (units: number) => fromMinorUnits(units, fact.kind).amount
    return { unit: fact.kind, actual: shown(fact.number), bound: shown(bound), short_by: shown(distance) }
  }
  if (measure === 'date')
    return { unit: 'days', actual: dateOfDay(fact.number), bound: dateOfDay(bound), short_by: distance }
  const unit =
    measure === 'months' || subject === 'term_months' ? 'months' : measure === 'percent' ? 'percent' : 'number'
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

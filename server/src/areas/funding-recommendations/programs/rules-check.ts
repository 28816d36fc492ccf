// The rules of a programme and its own terms, beyond what a schema can say. Pure; reports every problem with its place.

import { decimalProblems } from '../../../platform/protocol/money-problems.ts'
import type { Problem } from '../../../platform/protocol/validation.ts'
import { closestWord } from '../../../platform/values/closest-word.ts'
import { type Money, toMinorUnits } from '../../../platform/values/money.ts'
import type { Comparison } from '../matching/rules.ts'
import { operatorsFor, subjectNames, subjectOf } from '../matching/subjects.ts'
import { valueProblems } from './rule-values.ts'
import type { ProgramChange, RuleInput } from './schema.ts'

/** Every problem of the fields that were sent. The window is checked as it will be after the change. */
export function programProblems(
  input: ProgramChange,
  window: { opens_on: string | null; closes_on: string | null },
): Problem[] {
  const { amount, term_months, rate, time_to_fund_days, fees = [], eligibility = [] } = input
  return [
    ...windowProblems(input, window),
    ...(amount ? amountProblems(amount) : []),
    ...boundProblems('term_months', term_months),
    ...boundProblems('rate', rate),
    ...boundProblems('time_to_fund_days', time_to_fund_days),
    ...fees.flatMap((fee, index) => feeProblems(fee, `/fees/${index}`)),
    ...eligibilityProblems(eligibility),
  ]
}

export function eligibilityProblems(rules: readonly RuleInput[]): Problem[] {
  const numbers = new Map<string, number>()
  return rules.flatMap((rule, index) => {
    const pointer = `/eligibility/${index}`
    const { id, when } = rule
    const problems = comparisonProblems(rule, pointer)
    if (when) problems.push(...comparisonProblems(when, `${pointer}/when`))
    if (id === undefined) return problems
    if (/^(program|recipient)\./.test(id)) problems.push(reservedId(pointer))
    const earlier = numbers.get(id)
    if (earlier === undefined) numbers.set(id, index)
    else problems.push(duplicateId(pointer, id, earlier))
    return problems
  })
}

function comparisonProblems({ criterion, operator, value }: Comparison, pointer: string): Problem[] {
  if (!known.has(criterion)) return [unknownCriterion(criterion, `${pointer}/criterion`)]
  const subject = subjectOf(criterion, operator)
  if (subject) return valueProblems(subject, operator, value, `${pointer}/value`)
  const allowed = operatorsFor(criterion) ?? []
  const message = `operator must be one of these for ${criterion}: ${allowed.join(', ')}; received ${operator}.`
  return [{ pointer: `${pointer}/operator`, code: 'invalid_enum', message, meta: { allowed } }]
}

const known = new Set(subjectNames)

function unknownCriterion(criterion: string, pointer: string): Problem {
  const near = closestWord(criterion, subjectNames)
  const advice = near === undefined ? 'GET /criteria-definitions/ lists the criteria.' : `Did you mean ${near}?`
  const message = `criterion must be a known criterion; ${criterion} is not. ${advice}`
  return { pointer, code: 'invalid_enum', message, meta: { allowed: subjectNames } }
}

function reservedId(pointer: string): Problem {
  const message = 'id must not begin with program. or recipient.; these ids are reserved for built-in rules.'
  return { pointer: `${pointer}/id`, code: 'invalid_format', message }
}

function duplicateId(pointer: string, id: string, earlier: number): Problem {
  const message = `id must be unique within the programme; eligibility[${earlier}] also has the id ${id}.`
  return { pointer: `${pointer}/id`, code: 'invalid_format', message }
}

function windowProblems(
  input: ProgramChange,
  { opens_on, closes_on }: { opens_on: string | null; closes_on: string | null },
): Problem[] {
  if (opens_on === null || closes_on === null || closes_on >= opens_on) return []
  const pointer = input.closes_on === undefined ? '/opens_on' : '/closes_on'
  const message = `closes_on must not be before opens_on (${opens_on}); received ${closes_on}.`
  return [{ pointer, code: 'out_of_range', message }]
}

function amountProblems({ min, max }: { min?: Money | null; max?: Money | null }): Problem[] {
  const bounds = [
    { money: min ?? null, pointer: '/amount/min' },
    { money: max ?? null, pointer: '/amount/max' },
  ]
  const problems = bounds.flatMap(({ money, pointer }) => (money ? amountProblem(money, pointer) : []))
  if (problems.length > 0 || !min || !max) return problems
  if (min.currency !== max.currency) {
    const message = `currency must be the same for both amounts; received ${min.currency} and ${max.currency}.`
    return [{ pointer: '/amount/max/currency', code: 'invalid_format', message }]
  }
  return (toMinorUnits(min) ?? 0) > (toMinorUnits(max) ?? 0) ? [backward('amount')] : []
}

function amountProblem(money: Money, pointer: string): Problem[] {
  const problems = decimalProblems(money, pointer)
  if (money.amount.startsWith('-'))
    problems.push({ pointer: `${pointer}/amount`, code: 'out_of_range', message: 'amount must be at least 0.' })
  return problems
}

function boundProblems(
  field: string,
  bounds: { min?: number | null; max?: number | null } | null | undefined,
): Problem[] {
  const { min = null, max = null } = bounds ?? {}
  return min !== null && max !== null && min > max ? [backward(field)] : []
}

function backward(field: string): Problem {
  return { pointer: `/${field}/min`, code: 'out_of_range', message: `min must not be greater than max in ${field}.` }
}

function feeProblems(
  { amount = null, percent = null }: { amount?: Money | null; percent?: number | null },
  pointer: string,
): Problem[] {
  if ((amount === null) === (percent === null)) {
    const message = 'A fee must have either amount or percent, and not both.'
    return [{ pointer, code: amount === null ? 'required' : 'invalid_format', message }]
  }
  return amount === null ? [] : amountProblem(amount, `${pointer}/amount`)
}

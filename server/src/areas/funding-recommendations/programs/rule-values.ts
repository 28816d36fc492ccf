// The values of rules: whether each has the form that its criterion and operator compare. Pure; reports every problem.
import { isRelativeDay, resolveDay } from '../../../building-blocks/contracts/relative-days.ts'
import { fieldOf, type Problem } from '../../../platform/protocol/validation.ts'
import { isCountry, isRegion } from '../../../platform/values/countries.ts'
import { industryForms } from '../../../platform/values/industries.ts'
import { type Money, toMinorUnits } from '../../../platform/values/money.ts'
import { isDate } from '../../../platform/values/times.ts'
import { criteriaByKey } from '../criteria/vocabulary.ts'
import type { Operator } from '../matching/rules.ts'
import type { Subject } from '../matching/subjects.ts'
import { moneyProblems } from './money-check.ts'

/** Every problem of the value that a subject is compared with. */
export function valueProblems(subject: Subject, operator: Operator, value: unknown, pointer: string): Problem[] {
  if (operator === 'exists') {
    if (value === undefined || typeof value === 'boolean') return []
    return [wrongType(pointer, 'must be true or false, or omitted')]
  }
  if (value === undefined) return [{ pointer, code: 'required', message: `value is required for ${operator}.` }]
  if (operator === 'between') return boundsProblems(subject, value, pointer)
  if (!takesList.has(operator)) return entryProblems(subject, operator, value, pointer)
  if (!Array.isArray(value)) return [wrongType(pointer, `must be a list for ${operator}`)]
  return listProblems(subject, operator, value, pointer)
}

const takesList: ReadonlySet<Operator> = new Set<Operator>([
  'in',
  'not_in',
  'contains_any',
  'contains_all',
  'contains_none',
  'prefix_in',
  'not_prefix_in',
])
const isPrefix = (operator: Operator) => operator === 'prefix_in' || operator === 'not_prefix_in'
const mostEntries = 500
const mostPrefixes = 2000

function boundsProblems(subject: Subject, value: unknown, pointer: string): Problem[] {
  if (!Array.isArray(value) || value.length !== 2)
    return [wrongType(pointer, 'must be a list of two bounds for between')]
  const problems = value.flatMap((bound, index) => entryProblems(subject, 'between', bound, `${pointer}/${index}`))
  if (problems.length > 0) return problems
  if (subject.measure === 'money') {
    const [low, high] = value as [Money, Money] // safe because their form was checked before
    if (low.currency !== high.currency) {
      const message = `currency must be the same for both bounds; received ${low.currency} and ${high.currency}.`
      return [{ pointer: `${pointer}/1/currency`, code: 'invalid_format', message }]
    }
  }
  if (!isBackward(subject, value[0], value[1])) return []
  return [{ pointer, code: 'out_of_range', message: 'value must have the lower bound first.' }]
}

function listProblems(subject: Subject, operator: Operator, list: unknown[], pointer: string): Problem[] {
  const isOfMany = isPrefix(operator) && (subject.measure === 'industry' || subject.name === 'postal_code')
  const maximum = isOfMany ? mostPrefixes : mostEntries
  if (list.length === 0)
    return [{ pointer, code: 'too_short', message: 'value must have at least 1 entry.', meta: { minimum: 1 } }]
  if (list.length > maximum) {
    const message = `value must have at most ${maximum} entries; it has ${list.length}.`
    return [{ pointer, code: 'too_long', message, meta: { maximum } }]
  }
  return list.flatMap((entry, index) => entryProblems(subject, operator, entry, `${pointer}/${index}`))
}

function entryProblems(subject: Subject, operator: Operator, value: unknown, pointer: string): Problem[] {
  const { measure } = subject
  switch (measure) {
    case 'money':
      return moneyProblems(value, pointer)
    case 'number':
    case 'percent':
    case 'months':
      return numberProblems(subject, value, pointer)
    case 'boolean':
      return typeof value === 'boolean' ? [] : [wrongType(pointer, 'must be true or false')]
    case 'date':
      return dateProblems(value, pointer)
    case 'industry':
      return industryProblems(operator, value, pointer)
    case 'list':
    case 'text':
      return textProblems(subject, operator, value, pointer)
  }
}

function numberProblems({ criterion, measure }: Subject, value: unknown, pointer: string): Problem[] {
  const isWhole = measure === 'months' || criteriaByKey.get(criterion)?.type === 'integer'
  const kind = isWhole ? 'a whole number' : 'a number'
  if (typeof value !== 'number' || !Number.isFinite(value)) return [wrongType(pointer, `must be ${kind}`)]
  return isWhole && !Number.isSafeInteger(value) ? [wrongType(pointer, `must be ${kind}`)] : []
}

function dateProblems(value: unknown, pointer: string): Problem[] {
  const forms = 'a date such as 2026-01-31, or a relative date such as today-36 months'
  if (typeof value !== 'string') return [wrongType(pointer, `must be ${forms}`)]
  if (isDate(value) || isRelativeDay(value)) return []
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return [wrongForm(pointer, `must be a date that exists; ${value} does not`)]
  return [wrongForm(pointer, `must be ${forms}`)]
}

type IndustrySystem = keyof typeof industryForms
/** How codes of each system can begin. */
const prefixForms: Record<IndustrySystem, RegExp> = {
  naics_2022: /^[1-9][0-9]{0,5}$/,
  sic_2007: /^[0-9]{1,5}$/,
  nace_2: /^([A-U]|[0-9]{1,2}|[0-9]{2}\.[0-9]{0,2})$/,
}
const systems = Object.keys(industryForms)

/** A code of one system as an object; as a plain text, of any. */
function industryProblems(operator: Operator, value: unknown, pointer: string): Problem[] {
  const forms: Record<IndustrySystem, RegExp> = isPrefix(operator) ? prefixForms : industryForms
  const what = isPrefix(operator) ? 'the beginning of an industry code' : 'an industry code'
  if (typeof value === 'string')
    return Object.values(forms).some((form) => form.test(value))
      ? []
      : [wrongForm(pointer, `must be ${what} of one of: ${systems.join(', ')}`)]
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return [wrongType(pointer, `must be ${what}, as text or as {"system": "naics_2022", "code": "722"}`)]
  const { system, code, ...others }: { system?: unknown; code?: unknown } = value
  const problems: Problem[] = Object.keys(others).map((name) => ({
    pointer: `${pointer}/${name.slice(0, 60)}`,
    code: 'unknown_field',
    message: `${name.slice(0, 60)} is not a known field.`,
  }))
  if (typeof system !== 'string' || !systems.includes(system)) {
    const message = `system must be one of: ${systems.join(', ')}.`
    return [...problems, { pointer: `${pointer}/system`, code: 'invalid_enum', message, meta: { allowed: systems } }]
  }
  // safe because it is among the names of the forms
  const form = forms[system as IndustrySystem]
  if (typeof code !== 'string') problems.push(wrongType(`${pointer}/code`, `must be ${what} of ${system}`))
  else if (!form.test(code)) problems.push(wrongForm(`${pointer}/code`, `must be ${what} of ${system}`))
  return problems
}

function textProblems({ criterion }: Subject, operator: Operator, value: unknown, pointer: string): Problem[] {
  const { type, allowed_values } = criteriaByKey.get(criterion) ?? { type: 'choice', allowed_values: [] }
  if (typeof value !== 'string') return [wrongType(pointer, 'must be text')]
  if (type === 'country')
    return isCountry(value) ? [] : [wrongForm(pointer, 'must be an ISO 3166-1 country code such as US')]
  if (type === 'region') {
    if (isPrefix(operator))
      return isRegionPrefix(value)
        ? []
        : [wrongForm(pointer, 'must be the beginning of an ISO 3166-2 code, such as US')]
    return isRegion(value) ? [] : [wrongForm(pointer, 'must be an ISO 3166-2 code such as US-CA')]
  }
  if (type === 'postal_code')
    return /^[A-Za-z0-9][A-Za-z0-9 -]{0,11}$/.test(value)
      ? []
      : [wrongForm(pointer, 'must have 1 to 12 letters, digits, spaces and hyphens')]
  if (allowed_values.some((one) => one.value === value)) return []
  const allowed = allowed_values.map((one) => one.value)
  const message = `${fieldOf(pointer)} must be one of: ${allowed.join(', ')}.`
  return [{ pointer, code: 'invalid_enum', message, meta: { allowed } }]
}

function isRegionPrefix(text: string): boolean {
  return /^[A-Z]{2}(-[A-Z0-9]{0,3})?$/.test(text) && isCountry(text.slice(0, 2))
}

function isBackward({ measure }: Subject, low: unknown, high: unknown): boolean {
  if (measure === 'money') {
    const [from, to] = [low, high].map((one) => toMinorUnits(one as Money) ?? 0) // safe because their form was checked before
    return (from ?? 0) > (to ?? 0)
  }
  if (measure !== 'date') return Number(low) > Number(high)
  const [from, to] = [String(low), String(high)]
  // Which of a date and a relative date is earlier depends on the day.
  if (isRelativeDay(from) !== isRelativeDay(to)) return false
  return (resolveDay(from, anyDay) ?? from) > (resolveDay(to, anyDay) ?? to)
}

const anyDay = '2026-01-01'

function wrongType(pointer: string, rule: string): Problem {
  return { pointer, code: 'invalid_type', message: `${fieldOf(pointer)} ${rule}.` }
}

function wrongForm(pointer: string, rule: string): Problem {
  return { pointer, code: 'invalid_format', message: `${fieldOf(pointer)} ${rule}.` }
}

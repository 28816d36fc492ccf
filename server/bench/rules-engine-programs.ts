// The required rules of programmes for json-rules-engine: one rule for each programme, whose event names it.
import { Engine, type NestedCondition } from 'json-rules-engine'
import { dayNumber, monthsBetween } from '../src/areas/funding-recommendations/matching/days.ts'
import type { CriteriaValues } from '../src/areas/funding-recommendations/matching/project-facts.ts'
import {
  type Comparison,
  type ProgramTerms,
  type RecipientTerms,
  rulesOf,
} from '../src/areas/funding-recommendations/matching/rules.ts'
import { type Money, toMinorUnits } from '../src/platform/values/money.ts'

export function engineOf(
  recipients: readonly { recipient: RecipientTerms; programs: readonly ProgramTerms[] }[],
): Engine {
  const engine = new Engine()
  // One condition instead of one for each entry: the engine waits for every condition.
  engine.addOperator('containsAny', (known: string[], wanted: string[]) => known.some((one) => wanted.includes(one)))
  engine.addOperator(
    'beginsWithNone',
    (known: string, prefixes: string[]) => !prefixes.some((one) => known.startsWith(one)),
  )
  for (const { recipient, programs } of recipients)
    for (const program of programs) {
      const required = rulesOf(program, recipient).filter(({ effect }) => effect === 'required')
      const all = required.map((rule) => {
        const own = conditionOf(rule)
        return rule.when ? { any: [{ not: conditionOf(rule.when) }, own] } : own
      })
      engine.addRule({ conditions: { all }, event: { type: program.id } })
    }
  return engine
}

export async function eligibleBy(engine: Engine, facts: Record<string, unknown>): Promise<string[]> {
  const { events } = await engine.run(facts)
  return events.map(({ type }) => type)
}

/** What the programmes compare, as numbers, texts and lists of texts. */
export function plainFacts(values: CriteriaValues, day: number): Record<string, unknown> {
  const plain = Object.entries(values).map(([criterion, value]) => [criterion, plainValue(criterion, value, day)])
  return { ...Object.fromEntries(plain), today: day }
}

function conditionOf({ criterion, operator, value }: Comparison): NestedCondition {
  const bound = (one: unknown) => plainValue(criterion, one, 0)
  const condition = (name: string, compared: unknown) => ({ fact: criterion, operator: name, value: compared })
  switch (operator) {
    case 'gte':
    case 'after':
      return condition('greaterThanInclusive', bound(value))
    case 'lte':
      return condition('lessThanInclusive', bound(value))
    case 'between': {
      const [low, high] = value as [unknown, unknown] // safe because a range has two bounds
      return {
        all: [condition('greaterThanInclusive', bound(low)), condition('lessThanInclusive', bound(high))],
      }
    }
    case 'eq':
      return condition('equal', value)
    case 'in':
      return condition('in', value)
    case 'contains_any':
      return condition('containsAny', value)
    case 'not_prefix_in':
      return condition('beginsWithNone', value)
    default:
      throw new Error(`no believable programme compares by ${operator}`)
  }
}

function plainValue(criterion: string, value: unknown, day: number): unknown {
  if (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value)) return dayNumber(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  // safe because these are all the criteria whose values are objects
  if (criterion === 'bankruptcy')
    return monthsBetween(dayNumber((value as { discharged_on: string }).discharged_on), day)
  if (criterion === 'equipment') return (value as { age_years: number }).age_years
  if (criterion === 'industry') return (value as { code: string }).code
  return toMinorUnits(value as Money)
}

// A recipient's programmes, made ready to be evaluated for many projects. Programmes share most of their comparisons
// (the same country, the same months in business), so each different one is kept, and evaluated, once; a programme is
// a run of numbers that point to them.
import { type Predicate, predicateOf } from './predicates.ts'
import { type Comparison, type ProgramTerms, type RecipientTerms, rulesOf } from './rules.ts'

export interface Catalogue {
  recipient: RecipientTerms
  ids: readonly string[]
  versions: Int32Array
  funding_types: Uint8Array
  /** Twice the middle of the days to funding; `noSpeed` when it is not said. */
  speeds: Uint16Array
  /** The rules of programme `p` are those from `starts[p]` to `starts[p + 1]`. */
  starts: Int32Array
  /** Which comparison a rule makes, and which must hold for it to count (-1: none). */
  comparisons: Int32Array
  conditions: Int32Array
  weights: Float64Array
  required: Uint8Array
  predicates: readonly Predicate[]
  /** Names of funding types by their number. */
  funding_type_names: readonly string[]
}

const noSpeed = 0xffff

/** `day` is that of the calculation: comparisons with `today-36 months` are made for it. */
export function compileCatalogue(programs: Iterable<ProgramTerms>, recipient: RecipientTerms, day: number): Catalogue {
  const known = new Map<string, number>()
  const predicates: Predicate[] = []
  const numberOf = (comparison: Comparison, isWish = false): number => {
    const text = JSON.stringify([comparison.criterion, comparison.operator, comparison.value, isWish])
    let number = known.get(text)
    if (number === undefined) {
      number = predicates.push(predicateOf(comparison, day, isWish)) - 1
      known.set(text, number)
    }
    return number
  }
  const typeNumbers = new Map<string, number>()
  const typeNumber = (name: string): number => {
    const number = typeNumbers.get(name) ?? typeNumbers.size
    typeNumbers.set(name, number)
    return number
  }
  const ids: string[] = []
  const [versions, types, speeds, starts] = [growing(), growing(), growing(), growing()]
  const [comparisons, conditions, weights, required] = [growing(), growing(), growing(), growing()]
  for (const program of programs) {
    ids.push(program.id)
    versions.push(program.version)
    types.push(typeNumber(program.funding_type))
    speeds.push(speedOf(program.time_to_fund_days))
    starts.push(comparisons.length)
    for (const rule of rulesOf(program, recipient)) {
      comparisons.push(numberOf(rule, rule.isWish))
      conditions.push(rule.when ? numberOf(rule.when) : -1)
      weights.push(rule.weight)
      required.push(rule.effect === 'required' ? 1 : 0)
    }
  }
  starts.push(comparisons.length)
  return {
    recipient,
    ids,
    versions: Int32Array.from(versions.taken()),
    funding_types: Uint8Array.from(types.taken()),
    speeds: Uint16Array.from(speeds.taken()),
    starts: Int32Array.from(starts.taken()),
    comparisons: Int32Array.from(comparisons.taken()),
    conditions: Int32Array.from(conditions.taken()),
    weights: weights.taken().slice(),
    required: Uint8Array.from(required.taken()),
    predicates,
    funding_type_names: [...typeNumbers.keys()],
  }
}

/** Half a day counts, a thousand times thirty days do not. */
function speedOf(days: ProgramTerms['time_to_fund_days']): number {
  const { min, max } = days ?? { min: null, max: null }
  if (min === null && max === null) return noSpeed
  return Math.min(noSpeed - 1, (min ?? max ?? 0) + (max ?? min ?? 0))
}

/** A list of numbers that costs eight bytes for each. */
function growing() {
  let numbers = new Float64Array(1024)
  let length = 0
  return {
    get length() {
      return length
    },
    push(number: number): void {
      if (length === numbers.length) {
        const larger = new Float64Array(length * 2)
        larger.set(numbers)
        numbers = larger
      }
      numbers[length++] = number
    },
    taken: () => numbers.subarray(0, length),
  }
}

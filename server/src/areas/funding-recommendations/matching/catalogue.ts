// A recipient's programmes, made ready to be evaluated for many projects. Everything lies in columns of numbers: a
// programme is a run of rules, and a rule points to the comparisons it makes. Programmes share many of their
// comparisons (the same country, the same months in business), so each different one is kept, and evaluated, once.
import { isRelativeDay } from '../../../building-blocks/contracts/relative-days.ts'
import { type Entry, type ListPredicate, type Predicate, predicateOf, type RangePredicate } from './predicates.ts'
import { hashOfText } from './ranking.ts'
import { preferred, required, wished } from './rule-tallies.ts'
import { type Comparison, type ProgramTerms, type RecipientTerms, rulesOf, type StatedRule } from './rules.ts'

export interface Catalogue {
  recipient: RecipientTerms
  ids: ProgramIds
  versions: Int32Array
  funding_types: Uint8Array
  /** Names of funding types by their number. */
  funding_type_names: readonly string[]
  /** Twice the middle of the days to funding; `noSpeed` when it is not said. */
  speeds: Uint16Array
  hashes: Uint32Array
  /** The rules of programme `p` are those from `starts[p]` to `starts[p + 1]`. */
  starts: Int32Array
  /** Which comparison a rule makes, and which must hold for it to count: without a condition, one after all others. */
  comparisons: Int32Array
  conditions: Int32Array
  weights: Float64Array
  effects: Uint8Array
  /** The comparisons: first those with bounds, then those with lists. */
  ranges: Ranges
  lists: Lists
  /** Comparisons that are others on another day, or that have no bounds and are about months. */
  timed: readonly { comparison: Comparison; number: number }[]
}

/** The ids of programmes as one text: a million texts of their own would keep the garbage collector busy. */
interface ProgramIds {
  length: number
  at(program: number): string
}

/** Comparisons with bounds. */
interface Ranges {
  /** What is compared, by the number of its subject. */
  subjects: Uint8Array
  lows: Float64Array
  highs: Float64Array
  currencies: Uint8Array
  /** Currencies by their number. What is no amount has none, which is the empty text. */
  currency_names: readonly string[]
}

/** Comparisons with lists of entries. Few entries are different, and each is matched once. */
interface Lists {
  subjects: Uint8Array
  forms: Uint8Array
  /** The entries of list `l` are those from `starts[l]` to `starts[l + 1]`. */
  starts: Int32Array
  entries: Int32Array
  /** Entries by their number, with the number of the subject they are matched with. */
  different_entries: readonly (Entry & { subject: number })[]
}

export const listForms = ['any', 'none', 'all', 'known', 'missing'] as const satisfies ListPredicate['form'][]

const noSpeed = 0xffff

export function compileCatalogue(programs: Iterable<ProgramTerms>, recipient: RecipientTerms, day: number): Catalogue {
  const { add, finish } = collectCatalogue(recipient, day)
  for (const program of programs) add(program)
  return finish()
}

/**
 * The same for programmes that come one after the other, and need not be there at once. `day` is that of the
 * calculation: comparisons with `today-36 months` are made for it.
 */
export function collectCatalogue(recipient: RecipientTerms, day: number) {
  const ids: string[] = []
  const [versions, types, speeds, hashes] = [growing(), growing(), growing(), growing()]
  const [starts, compared, conditions, weights, effects] = [growing(), growing(), growing(), growing(), growing()]
  const { numberOf, placeOf, taken } = collectComparisons(day)
  const fundingTypes = numbered()
  const add = (program: ProgramTerms): void => {
    ids.push(program.id)
    versions.push(program.version)
    types.push(fundingTypes.numberOf(program.funding_type))
    speeds.push(speedOf(program.time_to_fund_days))
    hashes.push(hashOfText(program.id))
    starts.push(compared.length)
    for (const rule of rulesOf(program, recipient)) {
      compared.push(numberOf(rule))
      conditions.push(rule.when ? numberOf(rule.when) : none)
      weights.push(rule.weight)
      effects.push(effectOf(rule))
    }
  }
  const finish = (): Catalogue => {
    starts.push(compared.length)
    return {
      recipient,
      ids: joined(ids),
      versions: new Int32Array(versions.taken()),
      funding_types: new Uint8Array(types.taken()),
      funding_type_names: fundingTypes.names,
      speeds: new Uint16Array(speeds.taken()),
      hashes: new Uint32Array(hashes.taken()),
      starts: new Int32Array(starts.taken()),
      comparisons: new Int32Array(compared.taken()).map(placeOf),
      conditions: new Int32Array(conditions.taken()).map(placeOf),
      weights: weights.taken().slice(),
      effects: new Uint8Array(effects.taken()),
      ...taken(),
    }
  }
  return { add, finish }
}

/** Numbers the different comparisons: those with bounds by even numbers, those with lists by odd ones. */
function collectComparisons(day: number) {
  const known = new Map<string, number>()
  const [ranges, lists] = [collectRanges(), collectLists()]
  const timed: { comparison: Comparison; number: number }[] = []
  const add = (comparison: Comparison): number => {
    const predicate = predicateOf(comparison, day)
    const number = predicate.form === 'range' ? 2 * ranges.add(predicate) : 2 * lists.add(predicate) + 1
    if (isTimed(comparison, predicate)) timed.push({ comparison, number })
    return number
  }
  const placeOf = (number: number): number => {
    if (number === none) return ranges.count() + lists.count()
    return number % 2 === 0 ? number / 2 : ranges.count() + (number - 1) / 2
  }
  return {
    numberOf(comparison: Comparison): number {
      const text = `${comparison.criterion} ${comparison.operator} ${JSON.stringify(comparison.value)}`
      let number = known.get(text)
      if (number === undefined) {
        number = add(comparison)
        known.set(text, number)
      }
      return number
    },
    /** Where the comparison of a number stands once all are known. */
    placeOf,
    taken: () => ({
      ranges: ranges.taken(),
      lists: lists.taken(),
      timed: timed.map(({ comparison, number }) => ({ comparison, number: placeOf(number) })),
    }),
  }
}

function isTimed({ value }: Comparison, { form, subject }: Predicate): boolean {
  if (subject.measure === 'months') return form !== 'range'
  return subject.measure === 'date' && [value].flat().some((bound) => isRelativeDay(String(bound)))
}

function collectRanges() {
  const [subjects, lows, highs, currencies] = [growing(), growing(), growing(), growing()]
  const currencyNames = numbered()
  return {
    count: () => subjects.length,
    add({ subject, low, high, currency }: RangePredicate): number {
      lows.push(low)
      highs.push(high)
      currencies.push(currencyNames.numberOf(currency))
      return subjects.push(subject.number)
    },
    taken: (): Ranges => ({
      subjects: new Uint8Array(subjects.taken()),
      lows: lows.taken().slice(),
      highs: highs.taken().slice(),
      currencies: new Uint8Array(currencies.taken()),
      currency_names: currencyNames.names,
    }),
  }
}

function collectLists() {
  const [subjects, forms, starts, entries] = [growing(), growing(), growing(), growing()]
  const names = numbered()
  const different: (Entry & { subject: number })[] = []
  return {
    count: () => subjects.length,
    add({ subject, form, entries: own }: ListPredicate): number {
      forms.push(listForms.indexOf(form))
      starts.push(entries.length)
      for (const { match, kind, key } of own) {
        const number = names.numberOf(`${subject.number} ${match} ${kind} ${key}`)
        if (number === different.length) different.push({ match, kind, key, subject: subject.number })
        entries.push(number)
      }
      return subjects.push(subject.number)
    },
    taken: (): Lists => ({
      subjects: new Uint8Array(subjects.taken()),
      forms: new Uint8Array(forms.taken()),
      starts: new Int32Array([...starts.taken(), entries.length]),
      entries: new Int32Array(entries.taken()),
      different_entries: different,
    }),
  }
}

function joined(ids: readonly string[]): ProgramIds {
  const text = ids.join('')
  const ends = new Int32Array(ids.length)
  for (const [index, id] of ids.entries()) ends[index] = (ends[index - 1] ?? 0) + id.length
  return { length: ids.length, at: (program) => text.slice(ends[program - 1] ?? 0, ends[program]) }
}

function effectOf({ effect, isWish }: StatedRule): number {
  if (effect === 'preferred') return preferred
  return isWish ? wished : required
}

/** Half a day counts, a thousand times thirty days do not. */
function speedOf(days: ProgramTerms['time_to_fund_days']): number {
  const { min, max } = days ?? { min: null, max: null }
  if (min === null && max === null) return noSpeed
  return Math.min(noSpeed - 1, (min ?? max ?? 0) + (max ?? min ?? 0))
}

function numbered() {
  const numbers = new Map<string, number>()
  const names: string[] = []
  return {
    names,
    numberOf(name: string): number {
      const number = numbers.get(name) ?? names.push(name) - 1
      numbers.set(name, number)
      return number
    },
  }
}

/** A list of numbers that costs eight bytes for each. */
function growing() {
  let numbers = new Float64Array(64)
  let length = 0
  return {
    get length() {
      return length
    },
    /** Returns the place it has. */
    push(number: number): number {
      if (length === numbers.length) {
        const larger = new Float64Array(length * 2)
        larger.set(numbers)
        numbers = larger
      }
      numbers[length] = number
      return length++
    },
    taken: () => numbers.subarray(0, length),
  }
}

const none = -1

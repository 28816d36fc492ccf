// Every programme of the catalogues for one project: an outcome, a score and a place in the order, in one pass.
import { type Catalogue, listForms } from './catalogue.ts'
import { compareWithBounds, matchEntry, pass, relativeGap, resultOfList, unknown } from './predicates.ts'
import { type ProjectFacts, withToday } from './project-facts.ts'
import { hashOfText, mixHashes, type Ranked, rankPrograms } from './ranking.ts'
import { decisions, kindOf, oneNear, oneUnknown, passes, tallies } from './rule-tallies.ts'
import { subjects } from './subjects.ts'

export const outcomes = ['eligible', 'undetermined', 'near_miss', 'ineligible'] as const
export type Outcome = (typeof outcomes)[number]

export interface Evaluation {
  /** The catalogues that were evaluated, with the number of programmes before each. */
  catalogues: readonly { catalogue: Catalogue; offset: number }[]
  /** By programme: the number of its outcome, and its score (-1: none). */
  outcomes: Uint8Array
  scores: Int8Array
  /** By near miss: the number of the comparison that it misses. */
  missed: Int32Array
  /** Programmes in the order of their rank. */
  order: Uint32Array
  counts: Record<'evaluated' | Outcome, number>
  /** Missing criteria, by how many undetermined programmes each alone would settle. */
  most_useful_criteria: { criterion: string; would_settle: number }[]
}

export function evaluateAll(catalogues: readonly Catalogue[], facts: ProjectFacts, projectId: string): Evaluation {
  const size = catalogues.reduce((sum, { ids }) => sum + ids.length, 0)
  const ranked: Ranked = {
    outcomes: new Uint8Array(size),
    scores: new Int8Array(size),
    gaps: new Uint32Array(size),
    speeds: new Uint16Array(size),
    hashes: new Uint16Array(size),
  }
  const missed = new Int32Array(size)
  const settled = new Map<string, number>()
  const space = spaceFor(catalogues)
  const projectHash = hashOfText(projectId)
  let offset = 0
  const placed = catalogues.map((catalogue) => {
    evaluateCatalogue(
      catalogue,
      withToday(facts, catalogue.recipient.today),
      space,
      { ...ranked, missed },
      offset,
      settled,
    )
    ranked.speeds.set(catalogue.speeds, offset)
    for (let i = 0; i < catalogue.hashes.length; i++)
      ranked.hashes[offset + i] = mixHashes(projectHash, catalogue.hashes[i] ?? 0)
    offset += catalogue.ids.length
    return { catalogue, offset: offset - catalogue.ids.length }
  })
  return {
    catalogues: placed,
    outcomes: ranked.outcomes,
    scores: ranked.scores,
    missed,
    order: rankPrograms(ranked),
    counts: countsOf(ranked.outcomes),
    most_useful_criteria: [...settled]
      .map(([criterion, would_settle]) => ({ criterion, would_settle }))
      .sort((a, b) => b.would_settle - a.would_settle || (a.criterion < b.criterion ? -1 : 1)),
  }
}

function countsOf(found: Uint8Array): Evaluation['counts'] {
  const numbers = new Uint32Array(outcomes.length)
  for (let i = 0; i < found.length; i++) {
    const outcome = found[i] ?? ineligible
    numbers[outcome] = (numbers[outcome] ?? 0) + 1
  }
  const [eligible = 0, undetermined = 0, near_miss = 0, unfit = 0] = numbers
  return { evaluated: found.length, eligible, undetermined, near_miss, ineligible: unfit }
}

function evaluateCatalogue(
  catalogue: Catalogue,
  facts: ProjectFacts,
  { results, kinds }: Space,
  { outcomes, scores, gaps, missed }: Ranked & Pick<Evaluation, 'missed'>,
  offset: number,
  settled: Map<string, number>,
): void {
  compareAll(catalogue, facts, results)
  combineAll(catalogue, results, kinds)
  for (let program = 0; program < catalogue.ids.length; program++) {
    const start = catalogue.starts[program] ?? 0
    const end = catalogue.starts[program + 1] ?? 0
    const tally = tallyOf(kinds, start, end)
    const place = offset + program
    scores[place] = tally < oneNear ? scoreOf(kinds, catalogue.weights, start, end) : noScore
    if (tally === 0) outcomes[place] = eligible
    else if (tally < oneNear) {
      outcomes[place] = undetermined
      const criterion = settlingCriterion(catalogue, results, facts, start, end)
      if (criterion !== undefined) settled.set(criterion, (settled.get(criterion) ?? 0) + 1)
    } else if (tally < 2 * oneNear) {
      outcomes[place] = nearMiss
      const comparison = missedBy(catalogue, kinds, start)
      missed[place] = comparison
      gaps[place] = gapOf(catalogue, comparison, facts)
    } else outcomes[place] = ineligible
  }
}

/** Room for the result of each comparison of a catalogue, and for the kind of each rule: one after the other uses it. */
interface Space {
  results: Uint8Array
  kinds: Uint8Array
}

function spaceFor(catalogues: readonly Catalogue[]): Space {
  const most = (count: (catalogue: Catalogue) => number) =>
    new Uint8Array(catalogues.reduce((largest, catalogue) => Math.max(largest, count(catalogue)), 0))
  return {
    results: most(({ ranges, lists }) => ranges.subjects.length + lists.subjects.length + 1),
    kinds: most(({ comparisons }) => comparisons.length),
  }
}

function tallyOf(kinds: Uint8Array, start: number, end: number): number {
  let tally = 0
  for (let rule = start; rule < end; rule++) tally += tallies[kinds[rule] ?? 0] ?? 0
  return tally
}

function scoreOf(kinds: Uint8Array, weights: Float64Array, start: number, end: number): number {
  let passed = 0
  let decided = 0
  for (let rule = start; rule < end; rule++) {
    const kind = kinds[rule] ?? 0
    const weight = weights[rule] ?? 0
    passed += weight * (passes[kind] ?? 0)
    decided += weight * (decisions[kind] ?? 0)
  }
  // Half a point rounds up, also where weights such as 0.1 add up to a little less than they should.
  return decided > 0 ? Math.round((100 * passed) / decided + rounding) : noScore
}

/** The result of each comparison; after them that of no condition, which always holds. */
function compareAll({ ranges, lists }: Catalogue, facts: ProjectFacts, results: Uint8Array): void {
  const [first, count] = [ranges.subjects.length, lists.subjects.length]
  compareRanges(ranges, facts, results)
  compareLists(lists, facts, results.subarray(first, first + count))
  results[first + count] = pass
}

function combineAll({ comparisons, conditions, effects }: Catalogue, results: Uint8Array, kinds: Uint8Array): void {
  for (let rule = 0; rule < comparisons.length; rule++)
    kinds[rule] = kindOf(effects[rule] ?? 0, results[conditions[rule] ?? 0] ?? 0, results[comparisons[rule] ?? 0] ?? 0)
}

function compareRanges(
  { lows, highs, currencies, ...ranges }: Catalogue['ranges'],
  facts: ProjectFacts,
  results: Uint8Array,
) {
  const values = Float64Array.from(facts, (fact) => fact?.number ?? Number.NaN)
  const kinds = Int16Array.from(facts, (fact) => (fact ? ranges.currency_names.indexOf(fact.kind) : -1))
  const measures = subjects.map(({ measure }) => measure)
  for (let i = 0; i < lows.length; i++) {
    const subject = ranges.subjects[i] ?? 0
    results[i] =
      kinds[subject] === currencies[i]
        ? compareWithBounds(measures[subject] ?? 'number', lows[i] ?? 0, highs[i] ?? 0, values[subject] ?? Number.NaN)
        : unknown
  }
}

function compareLists(
  { starts, entries, forms, ...lists }: Catalogue['lists'],
  facts: ProjectFacts,
  results: Uint8Array,
) {
  const matches = lists.different_entries.map((entry) => matchEntry(entry, facts[entry.subject]))
  const isMatched = Uint8Array.from(matches, (match) => (match === true ? 1 : 0))
  const isIncomparable = Uint8Array.from(matches, (match) => (match === undefined ? 1 : 0))
  const isKnown = facts.map((fact) => fact !== undefined)
  for (let list = 0; list < forms.length; list++) {
    const start = starts[list] ?? 0
    const end = starts[list + 1] ?? 0
    let matched = 0
    let incomparable = 0
    for (let i = start; i < end; i++) {
      const entry = entries[i] ?? 0
      matched += isMatched[entry] ?? 0
      incomparable += isIncomparable[entry] ?? 0
    }
    const form = listForms[forms[list] ?? 0] ?? 'any'
    results[list] = resultOfList(form, isKnown[lists.subjects[list] ?? 0] ?? false, end - start, matched, incomparable)
  }
}

/** The comparison that a near miss misses. Only bounds are missed nearly. */
function missedBy({ comparisons }: Catalogue, kinds: Uint8Array, start: number): number {
  let rule = start
  while (tallies[kinds[rule] ?? 0] !== oneNear) rule++
  return comparisons[rule] ?? 0
}

/** How far the project is from a bound that it misses. */
function gapOf({ ranges }: Pick<Catalogue, 'ranges'>, range: number, facts: ProjectFacts): number {
  const subject = subjects[ranges.subjects[range] ?? 0]
  const value = facts[subject?.number ?? 0]?.number ?? Number.NaN
  return relativeGap(subject?.measure ?? 'number', ranges.lows[range] ?? 0, ranges.highs[range] ?? 0, value)
}

/** The one criterion that every unknown rule waits for, if there is one. */
function settlingCriterion(
  { comparisons, conditions, effects, ranges, lists }: Catalogue,
  results: Uint8Array,
  facts: ProjectFacts,
  start: number,
  end: number,
): string | undefined {
  let only: string | undefined
  for (let rule = start; rule < end; rule++) {
    const pair = [comparisons[rule] ?? 0, conditions[rule] ?? 0] as const
    const [own, condition] = [results[pair[0]] ?? 0, results[pair[1]] ?? 0]
    if (tallies[kindOf(effects[rule] ?? 0, condition, own)] !== oneUnknown) continue
    for (const comparison of pair) {
      if (results[comparison] !== unknown) continue
      const number = ranges.subjects[comparison] ?? lists.subjects[comparison - ranges.subjects.length] ?? 0
      const subject = subjects[number]
      // No answer helps where the values that are known do not compare.
      if (!subject || facts[number]) return undefined
      if (only !== undefined && only !== subject.criterion) return undefined
      only = subject.criterion
    }
  }
  return only
}

const noScore = -1
const rounding = 1e-9
const [eligible, undetermined, nearMiss, ineligible] = [0, 1, 2, 3] as const

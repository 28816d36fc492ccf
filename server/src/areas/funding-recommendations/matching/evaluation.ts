// Every programme of the catalogues for one project: an outcome, a score and a place in the order, in one pass.
import type { Catalogue } from './catalogue.ts'
import { evaluate, fail, near, notApplicable, pass, relativeGap, unknown } from './predicates.ts'
import { ofNumber, type ProjectFacts } from './project-facts.ts'
import { hashOf, type Ranked, rankPrograms } from './ranking.ts'
import { today } from './rules.ts'

export const outcomes = ['eligible', 'undetermined', 'near_miss', 'ineligible'] as const
export type Outcome = (typeof outcomes)[number]

export interface Evaluation {
  /** The catalogues that were evaluated, with the number of programmes before each. */
  catalogues: readonly { catalogue: Catalogue; offset: number }[]
  /** By programme: the number of its outcome, and its score (-1: none). */
  outcomes: Uint8Array
  scores: Int8Array
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
    gaps: new Float64Array(size),
    speeds: new Uint16Array(size),
    hashes: new Uint32Array(size),
  }
  const settled = new Map<string, number>()
  let offset = 0
  const placed = catalogues.map((catalogue) => {
    evaluateCatalogue(catalogue, facts, ranked, offset, settled)
    ranked.speeds.set(catalogue.speeds, offset)
    for (const [index, id] of catalogue.ids.entries()) ranked.hashes[offset + index] = hashOf(projectId, id)
    offset += catalogue.ids.length
    return { catalogue, offset: offset - catalogue.ids.length }
  })
  const counts = { evaluated: size, eligible: 0, undetermined: 0, near_miss: 0, ineligible: 0 }
  for (const outcome of ranked.outcomes) counts[outcomes[outcome] ?? 'ineligible']++
  return {
    catalogues: placed,
    outcomes: ranked.outcomes,
    scores: ranked.scores,
    order: rankPrograms(ranked),
    counts,
    most_useful_criteria: [...settled]
      .map(([criterion, would_settle]) => ({ criterion, would_settle }))
      .sort((a, b) => b.would_settle - a.would_settle || (a.criterion < b.criterion ? -1 : 1)),
  }
}

function evaluateCatalogue(
  catalogue: Catalogue,
  facts: ProjectFacts,
  { outcomes, scores, gaps }: Ranked,
  offset: number,
  settled: Map<string, number>,
): void {
  const { starts, comparisons, conditions, weights, required, predicates } = catalogue
  const own = new Map(facts).set(today, ofNumber(catalogue.recipient.today))
  const results = Uint8Array.from(predicates, (predicate) => evaluate(predicate, own))
  const criteria = [...new Set(predicates.map(({ criterion }) => criterion))]
  const criterionNumbers = new Map(criteria.map((criterion, number) => [criterion, number]))
  // Which criterion an unknown comparison waits for; none where the values known do not compare.
  const waitsFor = Int16Array.from(predicates, ({ subject, criterion }) =>
    own.has(subject) ? incomparable : (criterionNumbers.get(criterion) ?? incomparable),
  )
  const settledBy = new Uint32Array(criteria.length)
  for (let program = 0; program < catalogue.ids.length; program++) {
    let failures = 0
    let isFar = false
    let gapOf = 0
    let unknowns = 0
    let missing = nothing
    let passed = 0
    let decided = 0
    const end = starts[program + 1] ?? 0
    for (let rule = starts[program] ?? 0; rule < end; rule++) {
      const comparison = comparisons[rule] ?? 0
      const condition = conditions[rule] ?? -1
      const result = results[comparison] ?? unknown
      if (result === notApplicable) continue
      let isConditionUnknown = false
      if (condition >= 0) {
        const holds = results[condition] ?? unknown
        if (holds === fail || holds === near || holds === notApplicable) continue
        isConditionUnknown = holds === unknown && result !== pass
      }
      if (result === unknown || isConditionUnknown) {
        if (required[rule] !== 1) continue
        unknowns++
        if (result === unknown) missing = alone(missing, waitsFor[comparison] ?? incomparable)
        if (isConditionUnknown) missing = alone(missing, waitsFor[condition] ?? incomparable)
        continue
      }
      const weight = weights[rule] ?? 1
      decided += weight
      if (result === pass) {
        passed += weight
        continue
      }
      if (required[rule] !== 1) continue
      failures++
      if (result === near) gapOf = comparison
      else isFar = true
    }
    const place = offset + program
    const isOpen = failures === 0
    outcomes[place] = isOpen ? (unknowns === 0 ? 0 : 1) : failures === 1 && !isFar ? 2 : 3
    scores[place] = isOpen && decided > 0 ? Math.round((100 * passed) / decided) : -1
    if (outcomes[place] === 2) {
      const predicate = predicates[gapOf]
      if (predicate) gaps[place] = relativeGap(predicate, own)
    }
    if (isOpen && missing >= 0) settledBy[missing] = (settledBy[missing] ?? 0) + 1
  }
  for (const [number, criterion] of criteria.entries()) {
    const count = settledBy[number] ?? 0
    if (count > 0) settled.set(criterion, (settled.get(criterion) ?? 0) + count)
  }
}

/** No unknown so far; unknowns of several criteria, or one that no answer settles. */
const nothing = -1
const incomparable = -2

/** The one criterion that everything unknown so far waits for. */
function alone(before: number, next: number): number {
  return before === nothing || before === next ? next : incomparable
}

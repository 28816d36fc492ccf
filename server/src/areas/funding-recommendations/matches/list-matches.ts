// A page of the matches of a calculation. Ranks are walked through from where the last page ended, along the shortest
// list that the filters allow, so that a page costs the same wherever it is and however many matches there are.
import type { Connection } from '../../../platform/database/database.ts'
import type { Page, PageRequest } from '../../../platform/database/paging.ts'
import {
  entriesOf,
  isLong,
  type MatchEntry,
  programKey,
  rankKey,
  rankOf,
  ranksOf,
} from '../calculations/match-pages.ts'
import { type CalculationRow, findNextPage, findPage } from '../calculations/queries.ts'
import { type Outcome, outcomes } from '../matching/evaluation.ts'
import type { MatchFilters } from './schema.ts'

/** A calculation with matches to read. */
export type FinishedCalculation = CalculationRow & { result_id: string }

export async function listEntries(
  db: Connection,
  calculation: FinishedCalculation,
  filters: MatchFilters,
  dismissed: ReadonlySet<string>,
  page: PageRequest,
): Promise<Page<MatchEntry>> {
  const { position, size, direction, is_descending } = page
  const isForward = (direction === 'forward') !== is_descending
  const [low, high] = rangeOf(calculation, filters.outcome)
  const from = position ? Number(position.values[0]) : isForward ? low - 1 : high + 1
  const isInclusive = position?.inclusive ?? false
  const isIn = (rank: number) =>
    rank >= low &&
    rank <= high &&
    (isForward ? rank > from || (isInclusive && rank === from) : rank < from || (isInclusive && rank === from))
  const found: MatchEntry[] = []
  const reader = entryReader(db, calculation)
  for await (const rank of ranksFrom(db, calculation, filters, dismissed, {
    start: isForward ? Math.max(low, from) : Math.min(high, from),
    isForward,
  })) {
    if (isForward ? rank > high : rank < low) break
    if (!isIn(rank)) continue
    const entry = await reader(rank)
    if (!entry || (filters.dismissed !== undefined && dismissed.has(entry.program_id) !== filters.dismissed)) continue
    found.push(entry)
    if (found.length > size) break
  }
  const hasMore = found.length > size
  if (hasMore) found.pop()
  if (direction === 'backward') found.reverse()
  const edge = (entry: MatchEntry | undefined) => (entry ? { values: [entry.rank], inclusive: false } : null)
  const ahead = hasMore ? edge(direction === 'forward' ? found.at(-1) : found[0]) : null
  const behind = position
    ? (edge(direction === 'forward' ? found[0] : found.at(-1)) ?? { ...position, inclusive: true })
    : null
  return {
    items: found,
    next: direction === 'forward' ? ahead : behind,
    previous: direction === 'forward' ? behind : ahead,
  }
}

/** The match of one programme. */
export async function findEntry(
  db: Connection,
  calculation: FinishedCalculation,
  programId: string,
): Promise<MatchEntry | undefined> {
  const rank = await findRank(db, calculation, programId)
  return rank === undefined ? undefined : entryReader(db, calculation)(rank)
}

async function findRank(db: Connection, calculation: FinishedCalculation, programId: string) {
  const { portal_id, result_id } = calculation
  const page = await findPage(db, portal_id, result_id, 'program', programKey(programId))
  return page && rankOf(page, programId)
}

/** Outcomes are one after the other in the order of ranks, so each is a range. */
function rangeOf({ counts }: CalculationRow, outcome: Outcome | undefined): [low: number, high: number] {
  let before = 0
  for (const one of outcomes) {
    const count = counts?.[one] ?? 0
    if (one === outcome) return [before + 1, before + count]
    before += count
  }
  return [1, before]
}

/** Reads matches by rank, one page for a thousand neighbours. */
function entryReader(db: Connection, { portal_id, result_id }: FinishedCalculation) {
  let entries: MatchEntry[] = []
  return async (rank: number): Promise<MatchEntry | undefined> => {
    const first = entries[0]?.rank ?? 0
    if (entries.length === 0 || rank < first || rank >= first + entries.length) {
      const page = await findPage(db, portal_id, result_id, 'rank', rankKey(rank))
      entries = page ? entriesOf(page) : []
    }
    return entries.find((entry) => entry.rank === rank)
  }
}

async function shortestList(
  db: Connection,
  { portal_id, result_id }: FinishedCalculation,
  recipientId: string | undefined,
  fundingType: string | undefined,
): Promise<string> {
  if (recipientId === undefined) return `type:${fundingType}`
  const list = `recipient:${recipientId}`
  if (fundingType === undefined) return list
  const first = await findNextPage(db, portal_id, result_id, list, { key: '', isForward: true })
  return first && isLong(first) ? `${list}:${fundingType}` : list
}

/** The ranks that may fit, from a start on. */
async function* ranksFrom(
  db: Connection,
  calculation: FinishedCalculation,
  { recipient_id, funding_type, dismissed: isDismissed }: MatchFilters,
  dismissed: ReadonlySet<string>,
  { start, isForward }: { start: number; isForward: boolean },
): AsyncGenerator<number> {
  const { portal_id, result_id, counts } = calculation
  if (isDismissed && recipient_id === undefined && funding_type === undefined) {
    const ranks: number[] = []
    for (const programId of dismissed) {
      const rank = await findRank(db, calculation, programId)
      if (rank !== undefined) ranks.push(rank)
    }
    yield* ranks.sort((a, b) => (isForward ? a - b : b - a))
    return
  }
  if (recipient_id === undefined && funding_type === undefined) {
    const last = counts?.evaluated ?? 0
    if (isForward) for (let rank = start; rank <= last; rank++) yield rank
    else for (let rank = start; rank >= 1; rank--) yield rank
    return
  }
  const list = await shortestList(db, calculation, recipient_id, funding_type)
  let page =
    (await findPage(db, portal_id, result_id, list, rankKey(Math.max(0, start)))) ??
    (isForward ? await findNextPage(db, portal_id, result_id, list, { key: '', isForward }) : undefined)
  while (page) {
    const ranks = ranksOf(page, recipient_id === undefined ? undefined : funding_type)
    yield* isForward ? ranks : ranks.reverse()
    page = await findNextPage(db, portal_id, result_id, list, { key: page.first_key, isForward })
  }
}

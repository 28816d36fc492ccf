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
  ranksByProgram,
  ranksOf,
} from '../calculations/match-pages.ts'
import { type CalculationRow, findNextPage, findPage } from '../calculations/queries.ts'
import { type Outcome, outcomes } from '../matching/evaluation.ts'
import type { MatchFilters } from './schema.ts'

/** A calculation with matches to read. */
export type FinishedCalculation = CalculationRow & { result_id: string }

/** Positions name the calculation, too: whoever has begun to page goes on in the same one. */
export async function listEntries(
  db: Connection,
  calculation: FinishedCalculation,
  filters: MatchFilters,
  dismissed: ReadonlySet<string>,
  { position, size, direction, is_descending }: PageRequest,
): Promise<Page<MatchEntry>> {
  const isForward = direction === 'forward'
  const isUpward = isForward !== is_descending
  const [low, high] = rangeOf(calculation, filters.outcome)
  const collect = async (from: number, isUp: boolean, limit: number) => {
    const found: MatchEntry[] = []
    const read = entryReader(db, calculation)
    for await (const rank of ranksFrom(db, calculation, filters, dismissed, { start: from, isUp })) {
      if (isUp ? rank > high : rank < low) break
      if (isUp ? rank < Math.max(from, low) : rank > Math.min(from, high)) continue
      const entry = await read(rank)
      if (entry && fits(entry, filters, dismissed)) found.push(entry)
      if (found.length === limit) break
    }
    return found
  }
  const edge = position && Number(position.values[1])
  // The first rank that may be on the page.
  const first = (at: number, isUp: boolean, isInclusive: boolean) => (isInclusive ? at : isUp ? at + 1 : at - 1)
  const start = edge === undefined ? (isUpward ? low : high) : first(edge, isUpward, position?.inclusive ?? false)
  const found = await collect(start, isUpward, size + 1)
  const hasMore = found.length > size
  if (hasMore) found.pop()
  const begin = found[0]?.rank ?? edge
  const hasBehind =
    position !== undefined &&
    begin !== undefined &&
    (await collect(first(begin, !isUpward, found.length === 0 && !position.inclusive), !isUpward, 1)).length > 0
  const positionAt = (rank: number | undefined, inclusive = false) =>
    rank === undefined ? null : { values: [calculation.id, rank], inclusive }
  const ahead = hasMore ? positionAt(found.at(-1)?.rank) : null
  const behind = hasBehind ? positionAt(begin, found.length === 0) : null
  if (!isForward) found.reverse()
  return { items: found, next: isForward ? ahead : behind, previous: isForward ? behind : ahead }
}

function fits(
  { program_id, funding_type, recipient_id }: MatchEntry,
  filters: MatchFilters,
  dismissed: ReadonlySet<string>,
): boolean {
  return (
    (filters.funding_type ?? funding_type) === funding_type &&
    (filters.recipient_id ?? recipient_id) === recipient_id &&
    (filters.dismissed === undefined || dismissed.has(program_id) === filters.dismissed)
  )
}

/** The match of one programme. */
export async function findEntry(
  db: Connection,
  calculation: Pick<FinishedCalculation, 'portal_id' | 'result_id'>,
  programId: string,
): Promise<MatchEntry | undefined> {
  const rank = (await ranksOfPrograms(db, calculation, [programId])).get(programId)
  return rank === undefined ? undefined : entryReader(db, calculation)(rank)
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
function entryReader(db: Connection, { portal_id, result_id }: Pick<FinishedCalculation, 'portal_id' | 'result_id'>) {
  let entries: MatchEntry[] = []
  return async (rank: number): Promise<MatchEntry | undefined> => {
    const first = entries[0]?.rank ?? 0
    if (entries.length === 0 || rank < first || rank >= first + entries.length) {
      const page = await findPage(db, portal_id, result_id, 'rank', rankKey(rank))
      entries = page ? entriesOf(page) : []
    }
    return entries[rank - (entries[0]?.rank ?? 0)]
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
  { start, isUp }: { start: number; isUp: boolean },
): AsyncGenerator<number> {
  const { portal_id, result_id, counts } = calculation
  if (isDismissed) {
    const ranks = await ranksOfPrograms(db, calculation, dismissed)
    yield* [...ranks.values()].sort((a, b) => (isUp ? a - b : b - a))
    return
  }
  if (recipient_id === undefined && funding_type === undefined) {
    const last = counts?.evaluated ?? 0
    if (isUp) for (let rank = Math.max(1, start); rank <= last; rank++) yield rank
    else for (let rank = Math.min(last, start); rank >= 1; rank--) yield rank
    return
  }
  const list = await shortestList(db, calculation, recipient_id, funding_type)
  let page =
    (await findPage(db, portal_id, result_id, list, rankKey(Math.max(0, start)))) ??
    (isUp ? await findNextPage(db, portal_id, result_id, list, { key: '', isForward: true }) : undefined)
  while (page) {
    const ranks = ranksOf(page, recipient_id === undefined ? undefined : funding_type)
    yield* isUp ? ranks : ranks.reverse()
    page = await findNextPage(db, portal_id, result_id, list, { key: page.first_key, isForward: isUp })
  }
}

/** Where programmes stand, if they do; neighbours are in one page. */
export async function ranksOfPrograms(
  db: Connection,
  { portal_id, result_id }: Pick<FinishedCalculation, 'portal_id' | 'result_id'>,
  programIds: Iterable<string>,
): Promise<Map<string, number>> {
  const ranks = new Map<string, number>()
  let ranksOfPage = new Map<string, number>()
  for (const programId of [...programIds].sort()) {
    const key = programKey(programId)
    if (!ranksOfPage.has(key)) {
      const page = await findPage(db, portal_id, result_id, 'program', key)
      if (page) ranksOfPage = ranksByProgram(page)
    }
    const rank = ranksOfPage.get(key)
    if (rank !== undefined) ranks.set(programId, rank)
  }
  return ranks
}

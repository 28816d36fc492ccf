// The matches of a calculation as a few rows of text, however many there are. Four kinds of lists, cut into pages:
//   rank                 every match in the order of its rank, with all that is kept of it
//   program              where a programme stands, by its id
//   type:…, recipient:…  the ranks of one funding type, or of one recipient with their types;
//                        of a recipient with many programmes also those of each type
// A page is found by its first key, so that any place in any list costs one row.

import { fundingTypes } from '../criteria/vocabulary.ts'
import { type Evaluation, type Outcome, outcomes as outcomeNames } from '../matching/evaluation.ts'

export interface MatchPage {
  list: string
  first_key: string
  content: string
}

/** What is kept of a match; everything else is worked out when it is read. */
export interface MatchEntry {
  rank: number
  program_id: string
  program_version: number
  outcome: Outcome
  score: number | null
  funding_type: string
  recipient_id: string
}

export function* pagesOf({ catalogues, outcomes, scores, order }: Evaluation): Generator<MatchPage> {
  const placeOf = placesIn(catalogues)
  const ranksByList = new Map<string, string[]>()
  const ranked: string[] = []
  const byProgram: { id: string; rank: number }[] = []
  for (const [index, program] of order.entries()) {
    const rank = index + 1
    const { catalogue, number } = placeOf(program)
    const id = tailOf(catalogue.ids.at(number))
    const type = catalogue.funding_type_names[catalogue.funding_types[number] ?? 0] ?? 'other'
    const { recipient } = catalogue
    const fields = [id, catalogue.versions[number], outcomes[program], scores[program], typeNumbers.get(type)]
    ranked.push(`${fields.join(',')},${tailOf(recipient.id)}`)
    byProgram.push({ id, rank })
    add(ranksByList, `type:${type}`, String(rank))
    add(ranksByList, `recipient:${recipient.id}`, `${rank},${typeNumbers.get(type)}`)
  }
  yield* cut('rank', ranked, entriesOfPage, (_, first) => rankKey(first + 1))
  byProgram.sort((a, b) => (a.id < b.id ? -1 : 1))
  const programs = byProgram.map(({ id, rank }) => `${id},${rank}`)
  yield* cut('program', programs, entriesOfPage, (line) => line.split(',')[0] ?? '')
  const rankKeyOf = (line: string) => rankKey(Number(line.split(',')[0]))
  for (const [list, lines] of ranksByList) {
    yield* cut(list, lines, ranksOfPage, rankKeyOf)
    if (!list.startsWith('recipient:') || lines.length <= ranksOfPage) continue
    for (const name of typeNames) {
      const own = lines.filter((line) => line.endsWith(`,${typeNumbers.get(name)}`))
      yield* cut(`${list}:${name}`, own, ranksOfPage, rankKeyOf)
    }
  }
}

/** The matches of a page of the list `rank`. */
export function entriesOf({ first_key, content }: Pick<MatchPage, 'first_key' | 'content'>): MatchEntry[] {
  const first = Number(first_key)
  return content.split('\n').map((line, index) => {
    const [id = '', version = '', outcome = '', score = '', type = '', recipient = ''] = line.split(',')
    return {
      rank: first + index,
      program_id: `prg_${id}`,
      program_version: Number(version),
      outcome: outcomeNames[Number(outcome)] ?? 'ineligible',
      score: Number(score) < 0 ? null : Number(score),
      funding_type: typeNames[Number(type)] ?? 'other',
      recipient_id: `rcp_${recipient}`,
    }
  })
}

/** Whether the list that begins with this page is so long that there are lists for each type. */
export function isLong({ content }: Pick<MatchPage, 'content'>): boolean {
  return content.split('\n').length === ranksOfPage
}

/** The ranks of a page of a list by type or recipient; of a recipient's, those of one type alone if one is given. */
export function ranksOf({ content }: Pick<MatchPage, 'content'>, fundingType?: string): number[] {
  const wanted = fundingType === undefined ? undefined : String(typeNumbers.get(fundingType))
  return content.split('\n').flatMap((line) => {
    const [rank = '', type] = line.split(',')
    return wanted !== undefined && type !== undefined && type !== wanted ? [] : [Number(rank)]
  })
}

/** Where programmes stand, by their keys: a page of the list `program`. */
export function ranksByProgram({ content }: Pick<MatchPage, 'content'>): Map<string, number> {
  return new Map(
    content.split('\n').map((line) => {
      const [key = '', rank = ''] = line.split(',')
      return [key, Number(rank)]
    }),
  )
}

/** Keys of ranks have one length, so that they sort as numbers do. */
export function rankKey(rank: number): string {
  return String(rank).padStart(9, '0')
}

/** The key of a programme in the list `program`. */
export function programKey(programId: string): string {
  return tailOf(programId)
}

const entriesOfPage = 1000
const ranksOfPage = 4000
// safe because these are the keys of fundingTypes
const typeNames = Object.keys(fundingTypes) as (keyof typeof fundingTypes)[]
const typeNumbers = new Map<string, number>(typeNames.map((name, number) => [name, number]))

function* cut(
  list: string,
  lines: readonly string[],
  size: number,
  keyOf: (line: string, first: number) => string,
): Generator<MatchPage> {
  for (let first = 0; first < lines.length; first += size) {
    const content = lines.slice(first, first + size)
    yield { list, first_key: keyOf(content[0] ?? '', first), content: content.join('\n') }
  }
}

function placesIn(catalogues: Evaluation['catalogues']) {
  return (program: number) => {
    let [low, high] = [0, catalogues.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((catalogues[middle]?.offset ?? 0) <= program) low = middle
      else high = middle - 1
    }
    const found = catalogues[low]
    if (!found) throw new Error('a programme belongs to no catalogue')
    return { catalogue: found.catalogue, number: program - found.offset }
  }
}

function add(lists: Map<string, string[]>, name: string, line: string): void {
  const list = lists.get(name)
  if (list) list.push(line)
  else lists.set(name, [line])
}

function tailOf(id: string): string {
  return id.slice(id.indexOf('_') + 1)
}

// The matches of a calculation as a few rows of text, however many there are. Four kinds of lists, cut into pages:
//   rank                 every match in the order of its rank, with all that is kept of it
//   program              where a programme stands, by its id
//   type:…, recipient:…  the ranks of one funding type, or of one recipient with their types;
//                        of a recipient with many programmes also those of each type
// A page is found by its first key, so that any place in any list costs one row.

import { fundingTypes } from '../criteria/vocabulary.ts'
import type { Catalogue } from '../matching/catalogue.ts'
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

/** Of a hundred thousand matches, each text that is made counts: what many have in common is made once. */
export function* pagesOf({ catalogues, outcomes, scores, order }: Evaluation): Generator<MatchPage> {
  const lists = catalogues.map(({ catalogue }) => listsOf(catalogue))
  const places = new Uint32Array(order.length)
  for (const [place, { offset }] of catalogues.entries()) places.fill(place, offset)
  const ranked: string[] = []
  const byProgram: string[] = new Array(order.length)
  const byType = typeNames.map((): string[] => [])
  for (const [index, program] of order.entries()) {
    const place = places[program] ?? 0
    const [found, list] = [catalogues[place], lists[place]]
    if (!found || !list) throw new Error('a programme belongs to no catalogue')
    const { ids, versions, funding_types } = found.catalogue
    const number = program - found.offset
    const id = tailOf(ids.at(number))
    const type = list.types[funding_types[number] ?? 0] ?? otherType
    const rank = String(index + 1)
    ranked.push(`${id},${versions[number]}${list.endOf(outcomes[program] ?? 0, scores[program] ?? 0, type)}`)
    byProgram[program] = `${id},${rank}`
    byType[type]?.push(rank)
    list.ranks.push(`${rank},${type}`)
    list.ranksOfType[type]?.push(rank)
  }
  yield* cut('rank', ranked, entriesOfPage, (_, first) => rankKey(first + 1))
  // Ids have one length. Those of one catalogue are in their order already, which makes this quick.
  yield* cut('program', byProgram.sort(), entriesOfPage, (line) => line.split(',')[0] ?? '')
  const rankKeyOf = (line: string) => rankKey(Number(line.split(',')[0]))
  for (const [type, lines] of byType.entries()) yield* cut(`type:${typeNames[type]}`, lines, ranksOfPage, rankKeyOf)
  for (const { name, ranks, ranksOfType } of lists) {
    yield* cut(name, ranks, ranksOfPage, rankKeyOf)
    if (ranks.length <= ranksOfPage) continue
    for (const [type, lines] of ranksOfType.entries())
      yield* cut(`${name}:${typeNames[type]}`, lines, ranksOfPage, rankKeyOf)
  }
}

/** What is collected for the recipient of a catalogue, and what its matches have in common. */
function listsOf({ recipient, funding_type_names }: Catalogue) {
  const ends = new Map<number, string>()
  const recipientKey = tailOf(recipient.id)
  return {
    name: `recipient:${recipient.id}`,
    /** The numbers of its funding types. */
    types: funding_type_names.map((name) => typeNumbers.get(name) ?? otherType),
    ranks: [] as string[],
    ranksOfType: typeNames.map((): string[] => []),
    /** How the line of a match ends. */
    endOf(outcome: number, score: number, type: number): string {
      const key = (outcome * 256 + score + 1) * typeNames.length + type
      let end = ends.get(key)
      if (end === undefined) {
        end = `,${outcome},${score},${type},${recipientKey}`
        ends.set(key, end)
      }
      return end
    },
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
const otherType = typeNames.indexOf('other')

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

function tailOf(id: string): string {
  return id.slice(id.indexOf('_') + 1)
}

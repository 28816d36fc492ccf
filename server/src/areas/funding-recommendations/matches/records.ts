import { findAccepting, portalIdOf } from '../../../building-blocks/recipients/queries.ts'
import { apiUrl, type Caller } from '../../../platform/context.ts'
import type { Connection } from '../../../platform/database/database.ts'
import { etagOfText } from '../../../platform/protocol/etag.ts'
import type { MatchEntry } from '../calculations/match-pages.ts'
import { dayNumber } from '../matching/days.ts'
import { explain } from '../matching/explanation.ts'
import { findProgramVersions } from '../programs/queries.ts'
import { projectPath } from '../projects/records.ts'
import type { FinishedCalculation } from './list-matches.ts'
import { matchIdOf } from './match-ids.ts'
import { findMatchedDeals } from './queries.ts'
import type { Match } from './schema.ts'

export function matchPath(projectId: string, matchId: string): string {
  return `${projectPath(projectId)}matches/${matchId}/`
}

interface SeenMatch {
  id: string
  calculation_id: string
  dismissed_at: string | undefined
  deal_id: string | undefined
  isAccepting: boolean
}

/** Changes with whatever a reader sees: calculation, dismissal, deal, and whether the recipient accepts applications. */
export function matchEtag({ id, calculation_id, dismissed_at, deal_id, isAccepting }: SeenMatch): string {
  return etagOfText(`${id} ${calculation_id} ${dismissed_at ?? ''} ${deal_id ?? ''} ${isAccepting}`)
}

/** Matches with their reasons, which are worked out here, by what the calculation knew. */
export async function toMatches(
  db: Connection,
  caller: Caller,
  calculation: FinishedCalculation,
  entries: readonly MatchEntry[],
  dismissed: ReadonlyMap<string, string>,
): Promise<Match[]> {
  const { config } = caller.context
  const evaluated = new Map((calculation.recipients ?? []).map((one) => [one.id, one]))
  const day = dayNumber(calculation.calculated_on ?? '1970-01-01')
  const [programs, accepting, deals] = await Promise.all([
    findProgramVersions(
      db,
      entries.map(({ recipient_id, program_id, program_version: version }) => ({
        ...{ portal_id: portalIdOf(recipient_id), program_id, version },
      })),
    ),
    findAccepting(
      db,
      caller.portal_id,
      entries.map(({ recipient_id }) => recipient_id),
    ),
    findMatchedDeals(
      db,
      caller.portal_id,
      calculation.project_id,
      entries.map(({ program_id }) => program_id),
    ),
  ])
  return entries.map((entry): Match => {
    const { program_id, recipient_id } = entry
    const program = programs.get(program_id)
    const recipient = evaluated.get(recipient_id)
    const explanation =
      program && recipient
        ? explain(
            program,
            { id: recipient_id, countries: recipient.countries, today: dayNumber(recipient.today) },
            { values: calculation.criteria, day },
          )
        : { reasons: [], missing_criteria: [], estimated_amount: null }
    const id = matchIdOf(calculation.project_id, program_id)
    const isAccepting = accepting.has(recipient_id)
    const dismissed_at = dismissed.get(program_id)
    const deal_id = deals.get(program_id)
    return {
      id,
      url: apiUrl(config, matchPath(calculation.project_id, id)),
      etag: matchEtag({ id, calculation_id: calculation.id, dismissed_at, deal_id, isAccepting }),
      project_id: calculation.project_id,
      created_at: calculation.state_changed_at,
      updated_at: dismissed_at ?? calculation.state_changed_at,
      calculation_id: calculation.id,
      program: {
        id: program_id,
        name: program?.name ?? 'A programme that is no longer known',
        // safe because programmes have no other types
        funding_type: entry.funding_type as Match['program']['funding_type'],
        url: apiUrl(config, `/funding-programs/${program_id}/`),
      },
      recipient: { id: recipient_id, name: recipient?.name ?? '', accepting_applications: isAccepting },
      outcome: entry.outcome,
      score: entry.score,
      rank: entry.rank,
      ...explanation,
      deal_id: deal_id ?? null,
      dismissed_at: dismissed_at ?? null,
    }
  })
}

import type { Caller } from '../../../platform/context.ts'
import type { Connection } from '../../../platform/database/database.ts'
import { defineList, defineRead, defineWrite, type Operation } from '../../../platform/http/operation.ts'
import { idParameter } from '../../../platform/http/path-parameter.ts'
import { ApiError } from '../../../platform/protocol/errors.ts'
import { requireProject } from '../projects/commands.ts'
import { onProject } from '../projects/operations.ts'
import { type FoundMatch, findFinished, requireMatch, setDismissed } from './commands.ts'
import { listEntries } from './list-matches.ts'
import { findDismissed } from './queries.ts'
import { toMatches } from './records.ts'
import { Match, matchFilters } from './schema.ts'

const resource = 'Matches'
const read = ['projects:read']
const write = ['projects:write']
const onMatch = {
  ...onProject,
  match_id: idParameter('mat', 'The id of the match.', { found_in: '/projects/{project_id}/matches/' }),
}

export const matchOperations: readonly Operation[] = [
  defineList({
    id: 'matches.list',
    path: '/projects/{project_id}/matches/',
    resource,
    summary: 'List the matches of a project',
    description:
      'Every programme that was evaluated, with its outcome and its reasons, in the order of its rank. Empty until a calculation has completed. Cursors stay in the calculation they began in.',
    grant: read,
    params: onProject,
    query: matchFilters,
    item: Match,
    collection: {
      orders: ['rank'],
      default_order: 'rank',
      page_size: { default: 100, maximum: 500 },
      backward: true,
    },
    async list(db, { caller, params, query }, page) {
      const project = await requireProject(db, caller, params.project_id)
      const begun = page.position && String(page.position.values[0])
      const calculation = await findFinished(db, caller, project, begun ?? query.calculation_id).catch((error) => {
        // It was forgotten between two pages.
        throw begun && error instanceof ApiError ? new ApiError('cursor_expired') : error
      })
      if (!calculation) return { items: [], next: null, previous: null }
      const dismissed = await findDismissed(db, caller.portal_id, project.id)
      const found = await listEntries(db, calculation, query, new Set(dismissed.keys()), page)
      return { ...found, items: await toMatches(db, caller, calculation, found.items, dismissed) }
    },
  }),
  defineRead({
    id: 'matches.read',
    path: '/projects/{project_id}/matches/{match_id}/',
    resource,
    summary: 'Read a match',
    description: 'The match of the last calculation that was completed.',
    grant: read,
    params: onMatch,
    response: Match,
    async read(db, { caller, params }) {
      return toMatch(db, caller, await requireMatch(db, caller, params.project_id, params.match_id))
    },
  }),
  decision(
    'dismiss',
    true,
    'Dismiss a match',
    'Marks a match as not wanted. It stays so in later calculations. The ETag of a match changes with every calculation.',
  ),
  decision('restore', false, 'Restore a dismissed match', 'Takes the dismissal of a match back.'),
]

function decision(
  action: 'dismiss' | 'restore',
  isDismissed: boolean,
  summary: string,
  description: string,
): Operation {
  return defineWrite({
    id: `matches.${action}`,
    method: 'POST',
    path: `/projects/{project_id}/matches/{match_id}/${action}/`,
    resource,
    summary,
    description,
    grant: write,
    params: onMatch,
    ...(!isDismissed && { example_needs: { dismissed: { made_by: 'matches.dismiss' } } }),
    ifMatch: true,
    versioned_path: '/projects/{project_id}/matches/{match_id}/',
    status: 200,
    response: Match,
    write: async (tx, { caller, params, ifMatch }) =>
      toMatch(tx, caller, await setDismissed(tx, caller, { ...params, ifMatch }, isDismissed)),
  })
}

async function toMatch(db: Connection, caller: Caller, { calculation, entry, dismissed }: FoundMatch): Promise<Match> {
  const [match] = await toMatches(db, caller, calculation, [entry], dismissed)
  if (!match) throw new ApiError('not_found')
  return match
}

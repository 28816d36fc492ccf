import { isoTime } from '../../../platform/clock.ts'
import type { Caller } from '../../../platform/context.ts'
import type { Connection } from '../../../platform/database/database.ts'
import { mapPage } from '../../../platform/database/paging.ts'
import {
  defineList,
  defineQuestion,
  defineRead,
  defineWrite,
  type Operation,
} from '../../../platform/http/operation.ts'
import { idParameter } from '../../../platform/http/path-parameter.ts'
import { ApiError, validationFailed } from '../../../platform/protocol/errors.ts'
import { CriteriaChange } from '../criteria/schema.ts'
import { valueProblems } from '../criteria/value-problems.ts'
import { plainValues, requireProject } from '../projects/commands.ts'
import { onProject } from '../projects/operations.ts'
import { recipientsToEvaluate, requireComplete, startCalculation } from './commands.ts'
import { match } from './matcher.ts'
import { type CalculationRow, findCalculation, listCalculations } from './queries.ts'
import { readPresent, toCalculation } from './records.ts'
import { MatchCalculation, WhatIf } from './schema.ts'

const resource = 'Match calculations'
const read = ['projects:read']
const write = ['projects:write']
const finished = {
  id_prefix: 'cal' as const,
  wait: { path: '/projects/{project_id}/match-calculations/{calculation_id}/', states: ['completed', 'failed'] },
}
const onCalculation = {
  ...onProject,
  calculation_id: idParameter('cal', 'The id of the calculation.', {
    ...finished,
    made_by: 'match_calculations.start',
  }),
}

export const calculationOperations: readonly Operation[] = [
  defineWrite({
    id: 'match_calculations.start',
    method: 'POST',
    path: '/projects/{project_id}/match-calculations/',
    resource,
    summary: 'Calculate matches',
    description:
      'Evaluates every open programme the Portal can see against the criteria of the project. The calculation continues in the background: read it until its state is `completed` or `failed`, or wait for the event. While one is under way, the request returns that one.',
    grant: write,
    rate: 'heavy',
    params: onProject,
    ifMatch: false,
    status: 202,
    response: MatchCalculation,
    errors: ['criteria_incomplete', 'state_conflict'],
    write: async (tx, { caller, params }) =>
      toRecord(tx, caller, await startCalculation(tx, caller, params.project_id)),
  }),
  defineList({
    id: 'match_calculations.list',
    path: '/projects/{project_id}/match-calculations/',
    resource,
    summary: 'List match calculations',
    description:
      'The newest five calculations of a project are kept, for at most 90 days; the administrator can set other numbers. The last one that was completed is always kept.',
    grant: read,
    params: onProject,
    example_needs: { calculation_id: { ...finished, found_in: '/projects/{project_id}/match-calculations/' } },
    item: MatchCalculation,
    collection: {
      orders: ['created_at'],
      default_order: '-created_at',
      page_size: { default: 25, maximum: 100 },
      backward: true,
    },
    async list(db, { caller, params }, page) {
      const project = await requireProject(db, caller, params.project_id)
      const present = await readPresent(db, caller)
      return mapPage(await listCalculations(db, caller.portal_id, project.id, page), (row) =>
        toCalculation(caller.context, project, row, present),
      )
    },
  }),
  defineRead({
    id: 'match_calculations.read',
    path: '/projects/{project_id}/match-calculations/{calculation_id}/',
    resource,
    summary: 'Read a match calculation',
    grant: read,
    params: onCalculation,
    response: MatchCalculation,
    async read(db, { caller, params }) {
      const row = await findCalculation(db, caller.portal_id, params.calculation_id)
      if (row?.project_id !== params.project_id) throw new ApiError('not_found')
      return toRecord(db, caller, row)
    },
  }),
  defineQuestion({
    id: 'projects.what_if',
    path: '/projects/{project_id}/what-if/',
    resource,
    summary: 'Ask what would change with other criteria',
    description:
      'Evaluates the project twice, as it is and with the values that are sent, and returns what would change. Nothing is stored. Null leaves a criterion out.',
    grant: read,
    rate: 'heavy',
    params: onProject,
    body: CriteriaChange,
    example: { values: { credit_score: 700 } },
    response: WhatIf,
    errors: ['criteria_incomplete'],
    async ask(db, { caller, params, body }) {
      const project = await requireProject(db, caller, params.project_id)
      requireComplete(project)
      const values = plainValues(project.criteria)
      const sent: Record<string, unknown> = body.values
      const instead = Object.fromEntries(Object.entries({ ...values, ...sent }).filter(([, value]) => value !== null))
      const now = caller.context.clock.now()
      const problems = valueProblems(sent, instead, isoTime(now).slice(0, 10))
      if (problems.length > 0) throw validationFailed(problems)
      const recipients = await recipientsToEvaluate(db, caller.portal_id)
      const { counts, changed_count, changed } = await match(caller.context, 'what_if', {
        portal_id: caller.portal_id,
        project_id: project.id,
        values,
        instead,
        recipients,
        now,
      })
      return {
        counts,
        changed_count,
        changed: changed.map(({ program_id, program_name, from, to, reasons }) => ({
          program: { id: program_id, name: program_name },
          from,
          to,
          reasons,
        })),
      }
    },
  }),
]

async function toRecord(db: Connection, caller: Caller, row: CalculationRow): Promise<MatchCalculation> {
  const project = await requireProject(db, caller, row.project_id)
  return toCalculation(caller.context, project, row, await readPresent(db, caller))
}

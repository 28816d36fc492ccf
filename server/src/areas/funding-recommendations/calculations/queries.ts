import { type Insertable, type Selectable, sql } from 'kysely'
import { compileInsert } from '../../../platform/database/compiled-query.ts'
import type { Connection, Tx } from '../../../platform/database/database.ts'
import { definePagedQuery, type PageRequest } from '../../../platform/database/paging.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { updateVersion } from '../../../platform/database/versioned-rows.ts'
import type { MatchPage } from './match-pages.ts'
import type { Calculated, EvaluatedRecipient } from './matching-task.ts'
import type { CalculationState } from './states.ts'

const calculationColumns = [
  'portal_id',
  'id',
  'version',
  'state',
  'state_changed_at',
  'project_id',
  'active_project_id',
  'criteria',
  'criteria_version',
  'recipients',
  'calculated_on',
  'changes_on',
  'counts',
  'most_useful_criteria',
  'error',
  'result_id',
  'created_at',
  'updated_at',
] as const

/** What the columns of a calculation hold, beyond what the schema of the table says. */
interface CalculationContent {
  state: CalculationState
  recipients: EvaluatedRecipient[] | null
  counts: Calculated['counts'] | null
  most_useful_criteria: Calculated['most_useful_criteria'] | null
}
export type CalculationRow = Omit<Selectable<Tables['match_calculations']>, keyof CalculationContent> &
  CalculationContent

function calculations(db: Connection, portalId: string) {
  return db
    .selectFrom('match_calculations')
    .select(calculationColumns)
    .$narrowType<CalculationContent>()
    .where('portal_id', '=', portalId)
}

export async function findCalculation(
  db: Connection,
  portalId: string,
  id: string,
): Promise<CalculationRow | undefined> {
  return calculations(db, portalId).where('id', '=', id).executeTakeFirst()
}

/** The calculation of a project that is queued or running. */
export async function findActiveCalculation(db: Connection, portalId: string, projectId: string) {
  return calculations(db, portalId).where('active_project_id', '=', projectId).executeTakeFirst()
}

const calculationPages = definePagedQuery({
  rows: (db, fixed: { portal_id: string; project_id: string }) =>
    calculations(db, fixed.portal_id).where('project_id', '=', fixed.project_id),
  filters: {},
  orders: { created_at: ['created_at', 'id'] },
})

export async function listCalculations(db: Connection, portalId: string, projectId: string, page: PageRequest) {
  return calculationPages(db, { portal_id: portalId, project_id: projectId }, {}, page)
}

export async function insertCalculation(tx: Tx, row: CalculationRow): Promise<void> {
  await tx.insertInto('match_calculations').values(toColumns(row)).execute()
}

/** False when the record is no longer at this version. */
export async function updateCalculation(tx: Tx, row: CalculationRow): Promise<boolean> {
  return updateVersion(tx, 'match_calculations', toColumns(row))
}

const insertRows = compileInsert('match_pages')

export async function insertPages(
  tx: Tx,
  portalId: string,
  resultId: string,
  pages: readonly MatchPage[],
): Promise<void> {
  await insertRows(
    tx,
    pages.map((page) => ({ portal_id: portalId, result_id: resultId, ...page })),
  )
}

/** The page of a list that a key belongs to: the last one that does not begin after it. */
export async function findPage(db: Connection, portalId: string, resultId: string, list: string, key: string) {
  return pages(db, portalId, resultId, list)
    .where('first_key', '<=', key)
    .orderBy('first_key', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The page of a list before or after the one with this key. */
export async function findNextPage(
  db: Connection,
  portalId: string,
  resultId: string,
  list: string,
  { key, isForward }: { key: string; isForward: boolean },
) {
  return pages(db, portalId, resultId, list)
    .where('first_key', isForward ? '>' : '<', key)
    .orderBy('first_key', isForward ? 'asc' : 'desc')
    .limit(1)
    .executeTakeFirst()
}

function pages(db: Connection, portalId: string, resultId: string, list: string) {
  return db
    .selectFrom('match_pages')
    .select(['first_key', 'content'])
    .where('portal_id', '=', portalId)
    .where('result_id', '=', resultId)
    .where('list', '=', list)
}

/** Calculations that are finished and not the one a project's matches are taken from, beyond the newest so many. */
export async function listOldCalculations(
  db: Connection,
  portalId: string,
  { keep, before, limit }: { keep: number; before: string; limit: number },
): Promise<{ id: string; result_id: string | null }[]> {
  const { rows } = await sql<{ id: string; result_id: string | null }>`
    select id, result_id from (
      select id, result_id, project_id, created_at, active_project_id,
        row_number() over (partition by project_id order by created_at desc, id desc) as place
      from match_calculations where portal_id = ${portalId}
    ) as numbered
    where (place > ${keep} or created_at < ${before}) and active_project_id is null
      and not exists (
        select 1 from projects
        where projects.portal_id = ${portalId} and projects.id = numbered.project_id
          and projects.calculation_id = numbered.id
      )
    limit ${limit}
  `.execute(db)
  return rows
}

export async function deleteCalculations(tx: Tx, portalId: string, ids: readonly string[]): Promise<void> {
  await tx.deleteFrom('match_calculations').where('portal_id', '=', portalId).where('id', 'in', ids).execute()
}

/** When the oldest calculation that a Portal keeps was asked for. */
export async function findOldestCalculation(db: Connection, portalId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('match_calculations')
    .select('created_at')
    .where('portal_id', '=', portalId)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()
  return row?.created_at
}

/** Results that belong to no calculation: attempts that were given up. None of a calculation that still runs. */
export async function listLostResults(db: Connection, portalId: string, limit: number): Promise<string[]> {
  // From result to result along the index: each has many pages.
  const { rows } = await sql<{ result_id: string }>`
    with recursive results (result_id) as (
      select min(result_id) from match_pages where portal_id = ${portalId}
      union all
      select (
        select min(result_id) from match_pages
        where portal_id = ${portalId} and match_pages.result_id > results.result_id
      )
      from results where results.result_id is not null
    )
    select result_id from results
    where result_id is not null
      and not exists (
        select 1 from match_calculations
        where match_calculations.portal_id = ${portalId} and match_calculations.result_id = results.result_id
      )
    limit ${limit}
  `.execute(db)
  return rows.map(({ result_id }) => result_id)
}

export async function deletePages(tx: Tx, portalId: string, resultId: string): Promise<void> {
  await tx.deleteFrom('match_pages').where('portal_id', '=', portalId).where('result_id', '=', resultId).execute()
}

function toColumns(row: CalculationRow): Insertable<Tables['match_calculations']> {
  const { criteria, recipients, counts, most_useful_criteria, error } = row
  return {
    ...row,
    criteria: JSON.stringify(criteria),
    recipients: recipients && JSON.stringify(recipients),
    counts: counts && JSON.stringify(counts),
    most_useful_criteria: most_useful_criteria && JSON.stringify(most_useful_criteria),
    error: error && JSON.stringify(error),
  }
}

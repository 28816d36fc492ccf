// What retention looks at. A Portal has many records of which few are due, so every statement reads a bounded number of
// rows, and whoever goes through them reads none twice.
import { type RawBuilder, sql } from 'kysely'
import type { Connection, Tx } from '../../platform/database/database.ts'
import { primaryKeys } from '../../platform/database/tables.ts'

/** A place in a list that is in the order of creation. */
export interface Place {
  created_at: string
  id: string
}

const behind = (after: Place | undefined) =>
  after ? sql<boolean>`(created_at, id) > (${after.created_at}, ${after.id})` : sql<boolean>`1 = 1`

export const endedIntakeStates = ['rejected', 'withdrawn', 'expired'] as const
type EndedState = (typeof endedIntakeStates)[number]

/**
 * Applications that have ended, the oldest first, some at a time, and whether they may go: what a project was made of
 * stays with it.
 */
export async function listEndedIntake(
  db: Connection,
  portalId: string,
  { state, before, after }: { state: EndedState; before: string; after: Place | undefined },
) {
  return (
    db
      .selectFrom('client_intake_applications')
      .select(['id', 'business_id', 'created_at', isDue(before).as('is_due')])
      .where('portal_id', '=', portalId)
      .where('state', '=', state)
      // No end of the list: between two ends, SQLite would rather go by the time alone and meet every application.
      .where(behind(after))
      .orderBy('created_at')
      .orderBy('id')
      .limit(pageSize)
      .execute()
  )
}

/** Whether an application that was found may still go; asked by whoever holds it. */
export async function isIntakeDue(tx: Tx, portalId: string, id: string, before: string): Promise<boolean> {
  const row = await tx
    .selectFrom('client_intake_applications')
    .select(isDue(before).as('is_due'))
    .where('portal_id', '=', portalId)
    .where('id', '=', id)
    .where('state', 'in', endedIntakeStates)
    .executeTakeFirst()
  return Boolean(row?.is_due)
}

const isDue = (before: string) => sql<boolean>`(state_changed_at <= ${before} and not exists (
  select 1 from projects
  where projects.portal_id = client_intake_applications.portal_id
    and projects.intake_application_id = client_intake_applications.id
))`

/** Archived businesses, some at a time, and whether they may go: those with open deals may not. */
export async function listArchived(db: Connection, portalId: string, before: string, after: Place | undefined) {
  return (
    db
      .selectFrom('businesses')
      .select([
        'id',
        'created_at',
        sql<boolean>`(state_changed_at <= ${before} and not exists (
        select 1 from deals
        where deals.portal_id = businesses.portal_id and deals.business_id = businesses.id
          and deals.state in ('open', 'on_hold')
      ))`.as('is_due'),
      ])
      .where('portal_id', '=', portalId)
      // As the index of archived businesses has it: a value that is bound could be any other.
      .where(sql<boolean>`state = 'archived'`)
      .where('created_at', '<=', before)
      .where(behind(after))
      .orderBy('created_at')
      .orderBy('id')
      .limit(pageSize)
      .execute()
  )
}

const pageSize = 100

/** A condition that a bounded number of rows of a table meets, which follow each other in the order of its key. */
type Stretch = RawBuilder<unknown>

/** All rows of a Portal in a table, stretch by stretch. */
export async function* stretchesOf(
  db: Connection,
  table: 'autofill_runs' | 'webhook_attempts',
  portalId: string,
): AsyncGenerator<Stretch> {
  const key = primaryKeys[table].slice(1)
  const columns = sql.join(key.map((column) => sql.ref(column)))
  const first = sql.ref(key[0] ?? '')
  let begin: RawBuilder<unknown> = sql``
  for (;;) {
    const { rows } = await sql<Record<string, string>>`
      select ${columns} from ${sql.table(table)} where portal_id = ${portalId} ${begin}
      order by ${columns} limit 1 offset ${stretchLength - 1}
    `.execute(db)
    const [last] = rows
    if (!last) {
      yield sql`portal_id = ${portalId} ${begin}`
      return
    }
    const bound = last[key[0] ?? '']
    const values = sql.join(key.map((column) => last[column]))
    // The first column by itself as well: of several together, PostgreSQL expects a third of the table.
    yield sql`portal_id = ${portalId} ${begin} and ${first} <= ${bound} and (${columns}) <= (${values})`
    begin = sql`and ${first} >= ${bound} and (${columns}) > (${values})`
  }
}

const stretchLength = 500

/** What is forgotten of a row when its time has come. */
const forgotten = {
  // What Autofill found is kept sealed; a run without it shows that it ran, and nothing else.
  autofill_runs: { column: 'sealed_outcome', time: 'state_changed_at' },
  webhook_attempts: { column: 'response_body', time: 'started_at' },
} as const

export async function hasOldValues(
  db: Connection,
  table: keyof typeof forgotten,
  stretch: Stretch,
  before: string,
): Promise<boolean> {
  const order = sql.join(primaryKeys[table].map((column) => sql.ref(column)))
  // In the order of the key: to find one of many, PostgreSQL would rather look at every row of the table.
  const { rows } = await sql`
    select 1 from ${sql.table(table)} where ${stretch} and ${isOld(table, before)} order by ${order} limit 1
  `.execute(db)
  return rows.length > 0
}

export async function forgetOldValues(
  tx: Tx,
  table: keyof typeof forgotten,
  stretch: Stretch,
  before: string,
): Promise<void> {
  await sql`
    update ${sql.table(table)} set ${sql.ref(forgotten[table].column)} = null where ${stretch} and ${isOld(table, before)}
  `.execute(tx)
}

function isOld(table: keyof typeof forgotten, before: string) {
  const { column, time } = forgotten[table]
  return sql`${sql.ref(column)} is not null and ${sql.ref(time)} <= ${before}`
}

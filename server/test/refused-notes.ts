// A table of the audit log that nothing can be added to.
import { type RawBuilder, sql } from 'kysely'
import { readConfig } from '../src/platform/config.ts'
import { engine, openTestContext } from './harness.ts'

const [refusal, permission] =
  engine === 'postgres'
    ? [
        sql`alter table audit_notes add constraint refused check (false) not valid`,
        sql`alter table audit_notes drop constraint refused`,
      ]
    : [
        sql`create trigger refused before insert on audit_notes begin select raise(abort, 'refused'); end`,
        sql`drop trigger refused`,
      ]

/** While the work is done. */
export const withNotesRefused = <T>(environment: Record<string, string>, work: () => Promise<T>): Promise<T> =>
  withChange(environment, [refusal], [permission], work)

/** On SQLite: while the work is done, a note is taken, and the commit of its transaction fails. */
export const withNotesLost = <T>(environment: Record<string, string>, work: () => Promise<T>): Promise<T> =>
  withChange(
    environment,
    [
      sql`create table lost_notes (id integer primary key, missing integer references lost_notes (id) deferrable initially deferred)`,
      sql`create trigger lost after insert on audit_notes begin insert into lost_notes (missing) values (-1); end`,
    ],
    [sql`drop trigger lost`, sql`drop table lost_notes`],
    work,
  )

async function withChange<T>(
  environment: Record<string, string>,
  change: readonly RawBuilder<unknown>[],
  undo: readonly RawBuilder<unknown>[],
  work: () => Promise<T>,
): Promise<T> {
  const { context } = await openTestContext(readConfig(environment))
  const { database } = context
  const apply = (statements: readonly RawBuilder<unknown>[]) =>
    database.transaction(async (tx) => {
      for (const statement of statements) await statement.execute(tx)
    })
  await apply(change)
  try {
    return await work()
  } finally {
    await apply(undo)
    await database.close()
  }
}

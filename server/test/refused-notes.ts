// A table of the audit log that nothing can be added to.
import { sql } from 'kysely'
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
export async function withNotesRefused<T>(environment: Record<string, string>, work: () => Promise<T>): Promise<T> {
  const { context } = await openTestContext(readConfig(environment))
  const { database } = context
  await database.transaction((tx) => refusal.execute(tx))
  try {
    return await work()
  } finally {
    await database.transaction((tx) => permission.execute(tx))
    await database.close()
  }
}

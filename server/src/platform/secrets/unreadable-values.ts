// Stored values that no secret key of this process opens: the key that sealed them is missing, in a backup that was written
// in the middle of a rotation, for example, or where an old key was removed too early.
import type { Connection } from '../database/database.ts'
import { counted } from '../values/counted.ts'
import type { Vault } from '../vault.ts'
import { type SealedColumn, sealedColumns } from './sealed-columns.ts'
import { boundTo, countOtherwise, sealedOtherwise, withSealedParts } from './sealed-values.ts'

interface Unreadable {
  total: number
  tables: Record<string, number>
  /** What is missing, as words. */
  keys: string[]
}

/**
 * A value that names a known key is taken for readable. Of the others at most `most` of each column are tried: right after
 * a rotation nearly all of them are readable, and when the job has sealed those again, only the rest is there to be tried.
 */
export async function findUnreadable(
  db: Connection,
  vault: Vault,
  most = Number.POSITIVE_INFINITY,
): Promise<Unreadable> {
  const columns: SealedColumn[] = []
  // Mostly there is none, which one statement finds out sooner than a walk through the table.
  for (const sealed of sealedColumns)
    if ((await countOtherwise(db, sealed, vault.keys.marks())) > 0) columns.push(sealed)
  return findUnreadableIn(columns, db, vault, most)
}

/** For whoever knows the columns: no statement goes through a whole table, which would hold up a process that serves. */
export async function findUnreadableIn(
  columns: Iterable<SealedColumn>,
  db: Connection,
  vault: Vault,
  most = Number.POSITIVE_INFINITY,
): Promise<Unreadable> {
  const tables: Record<string, number> = {}
  const beginnings = new Map<string, number>()
  for (const sealed of columns) {
    let tried = 0
    for await (const rows of sealedOtherwise(db, sealed, vault.keys.marks())) {
      tried += rows.length
      for (const row of rows) {
        const bound = boundTo(sealed, row)
        withSealedParts(row.sealed_text, sealed.form, (text) => {
          if (vault.open(sealed.purpose, text, bound) !== undefined) return text
          const beginning = text.slice(0, vault.keys.mark().length)
          beginnings.set(beginning, (beginnings.get(beginning) ?? 0) + 1)
          tables[sealed.table] = (tables[sealed.table] ?? 0) + 1
          return text
        })
      }
      if (tried >= most) break
    }
  }
  const total = Object.values(tables).reduce((sum, count) => sum + count, 0)
  return { total, tables, keys: total === 0 ? [] : missingKeys(beginnings, vault) }
}

/**
 * A value begins with the name of its key, or with something random if the first key of the deployment has sealed it. So
 * what only one value begins with is a name for certain where the first key is known.
 */
function missingKeys(beginnings: ReadonlyMap<string, number>, vault: Vault): string[] {
  const isFirstKnown = vault.keys.knowsFirst()
  const names = [...beginnings].flatMap(([name, count]) => (count > 1 || isFirstKnown ? [name] : []))
  return [
    ...(isFirstKnown || names.length === beginnings.size ? [] : ['the first key of this deployment']),
    ...names.slice(0, mostNames).map((name) => `the key whose name begins with ${name}`),
  ]
}

const mostNames = 3

/** Undefined when there are none. */
export function unreadableSentence({ total, tables, keys }: Unreadable): string | undefined {
  if (total === 0) return undefined
  const places = Object.entries(tables).map(([table, count]) => `${table} ${count}`)
  const [missing, them] = keys.length === 1 ? ['a secret key is', 'it'] : ['secret keys are', 'them']
  return `${counted(total, 'encrypted value')} cannot be decrypted (${places.join(', ')}), because ${missing} missing: ${keys.join(', ')}. Add ${them} to PORTICO_SECRET_KEY_PREVIOUS.`
}

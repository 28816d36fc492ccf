// Whether PostgreSQL keeps Portals apart for the role that Portico uses.
import { sql } from 'kysely'
import type { Database } from '../platform/database/database.ts'

export async function examineWall({ read }: Database): Promise<{ outcome: 'ok' | 'warning'; message: string }> {
  const { rows } = await sql<{ name: string; is_exempt: boolean }>`
    select rolname as name, rolsuper or rolbypassrls as is_exempt from pg_catalog.pg_roles where rolname = current_user
  `.execute(read)
  const [role] = rows
  return role?.is_exempt
    ? {
        outcome: 'warning',
        message: `The role ${role.name} is a superuser or has BYPASSRLS, so PostgreSQL does not separate Portals. Use a role without these attributes.`,
      }
    : { outcome: 'ok', message: 'PostgreSQL separates the rows of Portals' }
}

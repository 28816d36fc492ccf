// Whether PostgreSQL keeps Portals apart: for the role that Portico uses, in every table.
import { sql } from 'kysely'
import type { Database } from '../platform/database/database.ts'
import { tablesOutsideWall } from '../platform/database/postgres-wall.ts'

export async function examineWall({ read }: Database): Promise<{ outcome: 'ok' | 'warning'; message: string }> {
  const { rows } = await sql<{ name: string; is_exempt: boolean }>`
    select rolname as name, rolsuper or rolbypassrls as is_exempt from pg_catalog.pg_roles where rolname = current_user
  `.execute(read)
  const [role] = rows
  if (role?.is_exempt)
    return {
      outcome: 'warning',
      message: `The role ${role.name} is a superuser or has BYPASSRLS, so PostgreSQL does not separate Portals. Use a role without these attributes.`,
    }
  const tables = await tablesOutsideWall(read)
  if (tables.length > 0)
    return {
      outcome: 'warning',
      message: `PostgreSQL does not separate Portals in ${tables.join(', ')}: row-level security is off there, is not forced for the owner, or lacks a policy. To restore it, run: portico migrate`,
    }
  return { outcome: 'ok', message: 'PostgreSQL separates the rows of Portals' }
}

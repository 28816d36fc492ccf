// Programmes that an import has prepared lie beside those in force, and take their places all at once.
import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '../database.ts'
import { programColumns } from './0007-funding-recommendations.ts'

export async function preparedPrograms(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  const add = (name: string, type: ColumnTypes['text' | 'integer'], value: string | number) =>
    db.schema
      .alterTable('recipients')
      .addColumn(name, type, (c) => c.notNull().defaultTo(value))
      .execute()
  // The last import that is in force.
  await add('import_number', t.integer, 0)
  // The one that is under way: who does it, since when, the catalogue's version it will bring, and what it has prepared.
  await add('import_id', t.text, '')
  await db.schema.alterTable('recipients').addColumn('import_started_at', t.time).execute()
  await add('import_version', t.integer, 0)
  await add('import_created', t.integer, 0)
  await add('import_updated', t.integer, 0)

  // SQLite cannot change a primary key, so the rows move to a new table.
  await programColumns(db.schema.createTable('funding_programs_next'), t)
    // The import that the row is in force from, and the one that it is no longer in force from.
    .addColumn('from_import', t.integer, (c) => c.notNull().defaultTo(0))
    .addColumn('until_import', t.integer, (c) => c.notNull().defaultTo(Number.MAX_SAFE_INTEGER))
    .addPrimaryKeyConstraint('funding_programs_key', ['portal_id', 'id', 'from_import'])
    .execute()
  const names = sql.raw(columnNames.join(', '))
  await sql`insert into funding_programs_next (${names}) select ${names} from funding_programs`.execute(db)
  await db.schema.dropTable('funding_programs').execute()
  await db.schema.alterTable('funding_programs_next').renameTo('funding_programs').execute()
  const index = (name: string, columns: string[]) =>
    db.schema.createIndex(`funding_programs_${name}`).on('funding_programs').columns(columns).execute()
  // Not unique: a programme and what is to replace it have the same reference. Whoever gives one holds the catalogue.
  await index('by_reference', ['portal_id', 'external_reference', 'from_import', 'until_import'])
  const filters = ['state', 'funding_type', 'from_import', 'until_import']
  await index('by_creation', ['portal_id', 'created_at', 'id', ...filters])
  await index('by_change', ['portal_id', 'catalog_version', 'id'])

  // What a file has said so far: each reference once. The rest is with the programmes.
  await db.schema.dropTable('funding_program_imports').execute()
  await db.schema
    .createTable('funding_program_imports')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('import_id', t.text, (c) => c.notNull())
    .addColumn('external_reference', t.text, (c) => c.notNull())
    .addColumn('file_row', t.integer, (c) => c.notNull())
    // Empty when the file does not say it.
    .addColumn('state', t.text, (c) => c.notNull())
    .addPrimaryKeyConstraint('funding_program_imports_key', ['portal_id', 'import_id', 'external_reference'])
    .execute()
}

/** The columns that the rows have always had. */
export const columnNames = [
  ...['portal_id', 'id', 'version', 'recipient_id', 'state', 'state_changed_at', 'external_reference', 'name'],
  ...['summary', 'funding_type', 'opens_on', 'closes_on', 'amount', 'term_months', 'rate', 'fees'],
  ...['time_to_fund_days', 'required_documents', 'eligibility', 'catalog_version', 'content_hash'],
  ...['created_at', 'updated_at'],
]

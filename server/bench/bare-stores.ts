// What anyone would write first: one prepared statement per query on SQLite, the driver's pool on PostgreSQL.
import { DatabaseSync } from '@photostructure/sqlite'
import pg from 'pg'

export type BareRow = Record<string, unknown>

interface BareStore {
  find(portalId: string, id: string): Promise<BareRow | undefined>
  list(portalId: string, limit: number): Promise<BareRow[]>
  /** In one durable transaction. */
  insert(row: BareRow): Promise<void>
  /** A text under an id, in one durable transaction. */
  keepText(id: string, text: string): Promise<void>
}

export function openBareSqlite(file: string): BareStore {
  const db = new DatabaseSync(file, { timeout: 1000 })
  db.exec('pragma journal_mode = wal')
  db.exec('pragma synchronous = full')
  const mark = () => '?'
  const find = db.prepare(findText(mark))
  const list = db.prepare(listText(mark))
  const insert = db.prepare(insertText(mark))
  db.exec(textTable)
  const keep = db.prepare(keepTextOf(mark))
  const read = (row: BareRow): BareRow => {
    for (const name of jsonColumns) row[name] = typeof row[name] === 'string' ? JSON.parse(row[name]) : null
    row.do_not_contact = row.do_not_contact === 1
    return row
  }
  return {
    async find(portalId, id) {
      const row = find.get(portalId, id)
      return row && read(row)
    },
    list: async (portalId, limit) => list.all(portalId, limit).map(read),
    async insert(row) {
      db.exec('begin immediate')
      insert.run(...insertedColumns.map((name) => toBound(row[name])))
      db.exec('commit')
    },
    async keepText(id, text) {
      db.exec('begin immediate')
      keep.run(id, text)
      db.exec('commit')
    },
  }
}

export function openBarePostgres(connectionString: string): BareStore {
  const parsers: Record<number, (text: string) => unknown> = {
    [pg.types.builtins.INT8]: Number,
    [pg.types.builtins.TIMESTAMPTZ]: (text) => new Date(text).toISOString(),
    [pg.types.builtins.DATE]: (text) => text,
  }
  // safe because pg calls this with the type's number and its text form, as pg.types does
  const getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
    parsers[oid] ?? pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser
  const pool = new pg.Pool({ connectionString, max: 16, types: { getTypeParser } })
  const mark = (index: number) => `$${index + 1}`
  const [find, list, insert] = [findText(mark), listText(mark), insertText(mark)]
  const textTableMade = pool.query(textTable)
  return {
    async keepText(id, text) {
      await textTableMade
      const client = await pool.connect()
      try {
        await client.query('begin')
        await client.query(keepTextOf(mark), [id, text])
        await client.query('commit')
      } finally {
        client.release()
      }
    },
    find: async (portalId, id) => (await pool.query(find, [portalId, id])).rows[0],
    list: async (portalId, limit) => (await pool.query(list, [portalId, limit])).rows,
    async insert(row) {
      const client = await pool.connect()
      try {
        await client.query('begin')
        await client.query(
          insert,
          insertedColumns.map((name) => toBound(row[name])),
        )
        await client.query('commit')
      } finally {
        client.release()
      }
    },
  }
}

const jsonColumns = ['lead_source_detail', 'addresses', 'owners', 'consents', 'tags', 'metadata']
const shownColumns = [
  ...['id', 'version', 'state', 'state_changed_at', 'legal_name', 'name_sort', 'country', 'lead_source_id'],
  ...['lead_source_detail', 'trading_name', 'legal_form', 'region', 'registration_number', 'tax_id_last4'],
  ...['industry_system', 'industry_code', 'founded_on', 'employee_count', 'website', 'email', 'phone', 'addresses'],
  ...['annual_revenue_minor', 'annual_revenue_currency', 'owners', 'consents', 'do_not_contact', 'tags', 'metadata'],
  ...['external_reference', 'created_at', 'updated_at'],
]
const insertedColumns = [
  ...shownColumns,
  ...['portal_id', 'name_match', 'registration_match', 'tax_id_sealed', 'tax_id_hash'],
]

type Mark = (index: number) => string

function findText(mark: Mark): string {
  return `select ${shownColumns.join(', ')} from businesses where portal_id = ${mark(0)} and id = ${mark(1)}`
}

const textTable = 'create table if not exists bare_texts (id text primary key, value text not null)'

function keepTextOf(mark: Mark): string {
  return `insert into bare_texts (id, value) values (${mark(0)}, ${mark(1)}) on conflict (id) do update set value = excluded.value`
}

function listText(mark: Mark): string {
  return `select ${shownColumns.join(', ')} from businesses where portal_id = ${mark(0)} order by created_at desc, id desc limit ${mark(1)}`
}

function insertText(mark: Mark): string {
  return `insert into businesses (${insertedColumns.join(', ')}) values (${insertedColumns.map((_, index) => mark(index)).join(', ')})`
}

/** JSON as text, and booleans as both engines take them. */
function toBound(value: unknown): string | number | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'number' || typeof value === 'string' ? value : JSON.stringify(value)
}

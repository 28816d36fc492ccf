// Many businesses at once, past the API but made by the same code: rows and search words are what the API would write.
import { DatabaseSync } from '@photostructure/sqlite'
import pg from 'pg'
import { applyChange, blankBusiness, toColumns } from '../src/areas/businesses/records.ts'
import type { BusinessInput } from '../src/areas/businesses/schema.ts'
import { indexWords, searchWords } from '../src/areas/businesses/search-words.ts'
import { numberKey } from '../src/platform/values/text-keys.ts'
import { createVault } from '../src/platform/vault.ts'
import type { Deployment } from './deployments.ts'
import { showProgress } from './report.ts'

type Row = Record<string, unknown>
interface Inserter {
  insert(table: string, rows: readonly Row[]): Promise<void>
  /**
   * Makes so many rows like the only one in the table that has this id: in each, the given columns are what their SQL says,
   * in which n counts from 0.
   */
  copy(table: string, id: string, count: number, columns: Readonly<Record<string, string>>): Promise<void>
  /** SQL of a time, so many seconds after 1970. */
  timeAt(seconds: string): string
}

/** Every id, in the order of creation. */
export async function seedBusinesses(deployment: Deployment, count: number): Promise<string[]> {
  const makeRow = rowMaker(deployment)
  const ids: string[] = []
  const start = Date.now() - count * 1000
  await withInserter(deployment, async ({ insert }) => {
    for (let done = 0; done < count; ) {
      const businesses: Row[] = []
      const words: Row[] = []
      for (; businesses.length < batchSize && done < count; done++) {
        const { business, found } = makeRow(done, new Date(start + done * 1000).toISOString())
        ids.push(String(business.id))
        businesses.push(business)
        words.push(...found)
      }
      await insert('businesses', businesses)
      await insert('business_words', words)
      showProgress(`${deployment.engine}: seeding`, done, count)
    }
  })
  return ids
}

/** The number in the names and references of a seeded business: no other begins with it. */
export function seededNumber(index: number): string {
  return String(index).padStart(7, '0')
}

/** What an integrator typically sends; `unique` makes it another business. */
export function typicalBusiness(unique: string, lead_source_id: string): BusinessInput {
  return {
    legal_name: `Lee Bakery ${unique} LLC`,
    country: 'US',
    lead_source_id,
    trading_name: 'Lee Bakery',
    legal_form: 'llc',
    region: 'US-CA',
    registration_number: `C-${unique}`,
    tax_id: '12-3456789',
    industry: { system: 'naics_2022', code: '311811' },
    founded_on: '2016-03-01',
    employee_count: 12,
    website: 'https://bakery.example.com/',
    email: 'office@bakery.example.com',
    phone: '+14155550100',
    annual_revenue: { amount: '1250000.50', currency: 'USD' },
    addresses: [
      { kind: 'registered', line1: '1 Harbour Street', city: 'San Francisco', region: 'US-CA', country: 'US' },
    ],
    owners: [{ first_name: 'Ann', last_name: 'Lee', email: 'ann@bakery.example.com', ownership_percent: 60 }],
    consents: [{ kind: 'data_processing', granted: true, text_version: '2026-01' }],
    tags: ['priority'],
    metadata: { segment: 'retail' },
    external_reference: `crm-${unique}`,
  }
}

function rowMaker({ portal_id, lead_source_id, environment }: Deployment) {
  const vault = createVault(Buffer.from(environment.PORTICO_SECRET_KEY ?? '', 'base64'))
  return (index: number, now: string): { business: Row; found: Row[] } => {
    const number = seededNumber(index)
    const { lead_source_id: _, ...input } = typicalBusiness(number, lead_source_id)
    const [country, region] = regions[index % regions.length] ?? regions[0]
    const trade = trades[Math.floor(index / 7) % trades.length]
    const surname = surnames[Math.floor(index / 3) % surnames.length]
    const named = { legal_name: `${surname} ${trade} ${number} LLC`, trading_name: `${surname} ${trade}` }
    const row = applyChange(blankBusiness(lead_source_id, now), { ...input, ...named, country, region }, now)
    const tax_id = `12-${number}`
    const secret = {
      tax_id_sealed: vault.seal('tax_id', tax_id, `${portal_id} ${row.id}`),
      tax_id_hash: vault.hash('tax_id_hash', `${portal_id} ${numberKey(tax_id)}`),
    }
    return {
      // JSON columns as values: each engine's inserter writes them in its own way.
      business: { portal_id, ...toColumns(row), ...row, ...secret },
      found: indexWords(searchWords(row)).map((word) => ({ portal_id, word, business_id: row.id })),
    }
  }
}

/** The indexes of tables that many rows go into are built when all of them are there, which takes far less time. */
export async function withInserter(
  deployment: Deployment,
  work: (inserter: Inserter) => Promise<void>,
  large: readonly string[] = [],
): Promise<void> {
  if (deployment.database_url === undefined) return insertIntoSqlite(deployment.sqlite_file, work, large)
  const client = new pg.Client({ connectionString: deployment.database_url })
  await client.connect()
  try {
    await client.query('set synchronous_commit = off')
    await client.query(`set maintenance_work_mem = '256MB'`)
    const { rows: indexes } = await client.query<Index>(
      `select indexname as name, indexdef as sql from pg_indexes
       where schemaname = current_schema() and tablename = any ($1) and indexname not like '%_pkey'`,
      [large],
    )
    for (const { name } of indexes) await client.query(`drop index ${name}`)
    await work({
      async insert(table, rows) {
        const columns = Object.keys(rows[0] ?? {}).join(', ')
        await client.query(
          `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1)`,
          [JSON.stringify(rows)],
        )
      },
      async copy(table, id, count, columns) {
        const { fields } = await client.query(`select * from ${table} limit 0`)
        const names = fields.map(({ name }) => name)
        for (const statement of copying(table, id, count, names, columns)) await client.query(statement)
      },
      timeAt: (seconds) => `to_timestamp(${seconds})`,
    })
    for (const { sql } of indexes) await client.query(sql)
    // What autovacuum would have done by the time a table has grown to this size.
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}

/** What an index is called, and how it is made. */
interface Index {
  name: string
  sql: string
}

async function insertIntoSqlite(
  file: string,
  work: (inserter: Inserter) => Promise<void>,
  large: readonly string[],
): Promise<void> {
  const db = new DatabaseSync(file)
  try {
    db.exec('pragma synchronous = off')
    db.exec('pragma cache_size = -1000000')
    const listIndexes = db.prepare(`select name, sql from sqlite_master where type = 'index' and sql is not null
      and tbl_name in (select value from json_each(?))`)
    // safe because these columns were selected
    const indexes = listIndexes.all(JSON.stringify(large)) as unknown as Index[]
    for (const { name } of indexes) db.exec(`drop index ${name}`)
    await work({
      async insert(table, rows) {
        const columns = Object.keys(rows[0] ?? {})
        const statement = db.prepare(
          `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
        )
        db.exec('begin')
        for (const row of rows) statement.run(...columns.map((column) => toSqlite(row[column])))
        db.exec('commit')
      },
      async copy(table, id, count, columns) {
        const names = db.prepare(`select name from pragma_table_info('${table}')`).all()
        for (const statement of copying(
          table,
          id,
          count,
          names.map(({ name }) => String(name)),
          columns,
        ))
          db.exec(statement)
      },
      timeAt: (seconds) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${seconds}, 'unixepoch')`,
    })
    for (const { sql } of indexes) db.exec(sql)
    db.exec('pragma wal_checkpoint(truncate)')
  } finally {
    db.close()
  }
}

/** The row goes through a table of its own: what is written is not read at the same time. */
function copying(
  table: string,
  id: string,
  count: number,
  names: readonly string[],
  columns: Readonly<Record<string, string>>,
): string[] {
  const values = names.map((name) => columns[name] ?? `one.${name}`)
  return [
    `create temporary table one as select * from ${table} where id = '${id}'`,
    `delete from ${table} where id = '${id}'`,
    `with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < ${count - 1})
     insert into ${table} (${names.join(', ')}) select ${values.join(', ')} from numbers, one`,
    'drop table one',
  ]
}

function toSqlite(value: unknown): string | number | null {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === null || value === undefined) return null
  return typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value)
}

const batchSize = 2000
const surnames = ['Lee', 'Novak', 'Santos', 'Raman', 'Carter', 'Abrams', 'Mori', 'Fischer', 'Hill', 'Petrova', 'Russo']
const trades = ['Bakery', 'Machining', 'Landscaping', 'Dental', 'Solar', 'Furniture', 'Trucking', 'Software', 'Dairy']
const regions = [
  ['US', 'US-CA'],
  ['US', 'US-NY'],
  ['GB', 'GB-LND'],
  ['DE', 'DE-HH'],
  ['FR', 'FR-IDF'],
] as const

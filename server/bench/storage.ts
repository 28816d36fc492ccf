// What a business, a deal, an event and a line of the audit log take up on disk, with their indexes: as many as needed
// that pages count little are made through the API, and the tables are measured before and after.
import { DatabaseSync } from '@photostructure/sqlite'
import pg from 'pg'
import { createSend } from './applications.ts'
import { startDeliverySink } from './delivery-sink.ts'
import { type Deployment, makeDeployment } from './deployments.ts'
import { startServerProcess } from './processes.ts'
import { porticoProgram } from './programs.ts'
import { type Line, say } from './report.ts'
import { typicalBusiness } from './seed.ts'
import { pause, prepareChains, runChain } from './soak-chain.ts'
import type { Settings } from './throughput.ts'

/** What is deleted by itself, and after how long. */
const deleted: Readonly<Record<string, string>> = {
  idempotency_keys: '72 hours',
  jobs: 'minutes',
  audit_notes: 'seconds',
  events: '30 days',
  webhook_deliveries: '30 days',
  webhook_attempts: '30 days',
}

interface Table {
  bytes: number
  rows: number
}
type Tables = Readonly<Record<string, Table>>

export async function measureStorage({ engines, clusterUrl, rounds }: Settings): Promise<Line[]> {
  const lines: Line[] = []
  // A quick run has few rounds.
  const [businesses, chains] = rounds > 3 ? [2000, 300] : [500, 100]
  for (const engine of engines) {
    say(`storage on ${engine}: ${businesses} businesses, ${chains} deals`)
    const deployment = await makeDeployment(engine, clusterUrl)
    await prepareChains(deployment)
    const sink = await startDeliverySink()
    const server = await startServerProcess(porticoProgram, {
      args: () => ['serve'],
      environment: { ...deployment.environment, PORTICO_WEBHOOK_ALLOW_PRIVATE: 'true' },
      readyPath: '/readyz',
      cores: 'all',
    })
    try {
      const send = createSend(server.origin, deployment)
      await send('POST', 'webhooks/', { url: sink.url('storage'), event_types: ['*'] })
      const empty = await whenQuiet(deployment)
      await severalAtOnce(businesses, (n) =>
        send('POST', 'businesses/', typicalBusiness(`storage-${n}`, deployment.lead_source_id)),
      )
      const filled = await whenQuiet(deployment)
      // Number 1: only every tenth, from 0 on, has a document read.
      await severalAtOnce(chains, (n) => runChain({ send, origin: server.origin, deployment, name: `chain-${n}` }, 1))
      const full = await whenQuiet(deployment)
      const add = (measured: string, ours: string, theirs = '') =>
        lines.push({ figure: 'Storage', measured, engine, ours, theirs, ratio: '', hold: '', holds: true })
      for (const [measured, before, after, count] of [
        ['a business', empty, filled, businesses],
        ['a deal, from business to money', filled, full, chains],
      ] as const) {
        const grown = growth(before, after, count)
        const lasting = total(grown, (name) => !(name in deleted))
        const passing = total(grown, (name) => name in deleted)
        add(measured, `${kilobytes(lasting)} for good`, `${kilobytes(passing)} for a time`)
        for (const [name, { bytes, rows }] of Object.entries(grown).sort(([, a], [, b]) => b.bytes - a.bytes))
          if (bytes > 20)
            say(
              `  ${measured}: ${name} ${kilobytes(bytes)}, ${rows.toFixed(1)} rows${deleted[name] ? `, for ${deleted[name]}` : ''}`,
            )
      }
      const grown = growth(empty, full, 1)
      for (const [measured, name] of [
        ['an event', 'events'],
        ['a delivery', 'webhook_deliveries'],
        ['an attempt', 'webhook_attempts'],
        ['an entry of the audit log', 'audit_log'],
      ] as const)
        add(measured, kilobytes((grown[name]?.bytes ?? 0) / (grown[name]?.rows ?? 1)))
    } finally {
      await server.stop()
      sink.close()
      await deployment.remove()
    }
  }
  return lines
}

/** As several clients would. */
async function severalAtOnce(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const client = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: 4 }, client))
}

/** The tables, once the worker has caught up: nothing has been added for longer than the audit log takes. */
async function whenQuiet(deployment: Deployment): Promise<Tables> {
  const seen = (tables: Tables) => ['events', 'audit_log', 'webhook_attempts'].map((name) => tables[name]?.rows).join()
  for (let before = ''; ; ) {
    await pause(8000)
    const tables = await (deployment.engine === 'sqlite' ? sqliteTables(deployment) : postgresTables(deployment))
    if (seen(tables) === before) return tables
    before = seen(tables)
  }
}

async function sqliteTables({ sqlite_file }: Deployment): Promise<Tables> {
  const database = new DatabaseSync(sqlite_file, { readOnly: true })
  const all = (text: string) => database.prepare(text).all() as { name: string; bytes: number }[] // safe because every query below has these columns
  const sizes = all(
    'select m.tbl_name as name, sum(s.pgsize) as bytes from dbstat s join sqlite_schema m on m.name = s.name group by m.tbl_name',
  )
  const tables = sizes.map(({ name, bytes }) => {
    const [counted] = all(`select '' as name, count(*) as bytes from "${name}"`)
    return [name, { bytes, rows: counted?.bytes ?? 0 }]
  })
  database.close()
  return Object.fromEntries(tables)
}

async function postgresTables({ database_url }: Deployment): Promise<Tables> {
  const client = new pg.Client({ connectionString: database_url })
  await client.connect()
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `select relname as name, pg_total_relation_size(oid) as bytes from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace`,
  )
  const tables: [string, Table][] = []
  for (const { name, bytes } of rows) {
    const counted = await client.query<{ count: string }>(`select count(*) from "${name}"`)
    tables.push([name, { bytes: Number(bytes), rows: Number(counted.rows[0]?.count) }])
  }
  await client.end()
  return Object.fromEntries(tables)
}

function growth(before: Tables, after: Tables, count: number): Tables {
  return Object.fromEntries(
    Object.entries(after).map(([name, { bytes, rows }]) => [
      name,
      { bytes: (bytes - (before[name]?.bytes ?? 0)) / count, rows: (rows - (before[name]?.rows ?? 0)) / count },
    ]),
  )
}

function total(tables: Tables, isCounted: (name: string) => boolean): number {
  return Object.entries(tables).reduce((sum, [name, { bytes }]) => sum + (isCounted(name) ? bytes : 0), 0)
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} KB`
}

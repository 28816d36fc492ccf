// A whole server inside the test process: real HTTP on a real database of the engine under test, with a clock to move.
import { randomBytes, randomUUID } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, inject } from 'vitest'
import { createServer, type Server } from '../src/app.ts'
import { createLeadSource, type NewLeadSource } from '../src/areas/businesses/commands.ts'
import { createKey, createPortal } from '../src/building-blocks/portals/commands.ts'
import type { Clock } from '../src/platform/clock.ts'
import { type Config, readConfig } from '../src/platform/config.ts'
import type { Caller, Context } from '../src/platform/context.ts'
import type { Database } from '../src/platform/database/database.ts'
import { migrate } from '../src/platform/database/migrate.ts'
import { openDatabase } from '../src/platform/database/open-database.ts'
import { createLogger } from '../src/platform/logging.ts'
import { createMetrics, type Metrics } from '../src/platform/metrics.ts'
import { createScanner } from '../src/platform/storage/clamav.ts'
import { openStore } from '../src/platform/storage/open-store.ts'
import { startTraces } from '../src/platform/tracing/start-traces.ts'
import { createVault } from '../src/platform/vault.ts'
import { type Client, createClient } from './client.ts'
import { freePort, newPostgresDatabase, runSql } from './postgres-cluster.ts'

export const engine = process.env.PORTICO_TEST_ENGINE === 'postgres' ? 'postgres' : 'sqlite'

/** For what only one engine has: on the other it is not there, rather than skipped. */
export const describeOn = (only: typeof engine) => (only === engine ? describe : () => undefined)

/** For what the database has no part in, in a file whose other tests run on both engines. */
export const describeOnce = describeOn('sqlite')

/** The system's time, moved by as much as a test says. */
interface TestClock extends Clock {
  advance(milliseconds: number): void
}

export interface TestServer {
  origin: string
  base: string
  call: Client
  context: Context
  clock: TestClock
  server: Server
  metrics: Metrics
  logLines: string[]
  stop(): Promise<void>
}

/** A fast machine sends more than a key may within ten seconds: rates are on in tests of rates alone. */
export async function startTestServer(environment: Record<string, string> = {}): Promise<TestServer> {
  const place = await makeDatabase({ hasSchema: true })
  const port = await freePort()
  const config = readConfig({
    ...place.environment,
    ...bySocket(place.environment),
    PORTICO_PORT: String(port),
    PORTICO_SECRET_KEY: randomBytes(32).toString('base64'),
    PORTICO_RATE_LIMITS: 'off',
    ...environment,
  })
  const logLines: string[] = []
  const { context, clock } = await openTestContext(config, logLines)
  const metrics = createMetrics()
  const server = createServer(context, metrics)
  await server.http.listen({ host: config.host, port })
  const origin = `http://127.0.0.1:${port}`
  const base = `${origin}/v1/`
  return {
    origin,
    base,
    call: createClient(base),
    context,
    clock,
    server,
    metrics,
    logLines,
    async stop() {
      server.http.server.closeAllConnections()
      await server.close()
      await context.trace?.close()
      await context.files.close()
      await context.database.close()
      await place.remove()
    },
  }
}

/** The parts without HTTP, for tests of what runs beside it. */
export async function openTestContext(
  config: Config,
  logLines: string[] = [],
): Promise<{ context: Context; clock: TestClock }> {
  let offset = 0
  const clock: TestClock = {
    now: () => Date.now() + offset,
    wall: () => Date.now() + offset,
    expiry: () => Date.now() + offset,
    isDoubted: () => false,
    advance: (milliseconds) => {
      offset += milliseconds
    },
  }
  const log = createLogger(config, (line) => logLines.push(line))
  const opened = await openDatabase(config, log)
  await migrate(opened)
  const isOwnClock = opened.engine === 'postgres'
  // A test that lets time pass lets it pass for the clock of the database, too.
  const withClock = (one: Database): Database => ({
    ...one,
    timeIn: (own, milliseconds) => one.timeIn(own, milliseconds + (isOwnClock ? offset : 0)),
    within: (portalId) => withClock(one.within(portalId)),
  })
  const context: Context = {
    config,
    clock,
    vault: createVault(config.secret_key ?? randomBytes(32)),
    database: withClock(opened),
    files: openStore(config.files),
    scanner: config.clamav && createScanner(config.clamav),
    log,
    actor: { kind: 'command_line', id: 'tester' },
  }
  const { traces } = config
  return { context: traces ? { ...context, trace: startTraces(context, traces) } : context, clock }
}

export interface TestDatabase {
  environment: Record<string, string>
  remove(): Promise<void>
}

/** A database of its own, empty unless the schema is asked for. */
export async function makeDatabase({ hasSchema = false } = {}): Promise<TestDatabase> {
  const directory = mkdtempSync(join(tmpdir(), 'portico-test-'))
  const removeDirectory = () => rmSync(directory, { recursive: true, force: true })
  const environment = { PORTICO_DATA_DIR: directory }
  if (engine === 'sqlite') {
    if (hasSchema) copyFileSync(inject('sqliteTemplate'), join(directory, 'portico.db'))
    return { environment, remove: async () => removeDirectory() }
  }
  const server = inject('postgresUrl')
  if (server === undefined) throw new Error('the PostgreSQL half of the tests needs a PostgreSQL server')
  const { name, url } = await newPostgresDatabase(server, hasSchema ? inject('postgresTemplate') : undefined)
  return {
    environment: { ...environment, PORTICO_DATABASE_URL: url },
    async remove() {
      removeDirectory()
      await runSql(server, `drop database ${name} with (force)`)
    },
  }
}

/** The same database without TCP, which takes a quarter more of the processor. Programs in processes of their own use TCP. */
function bySocket({ PORTICO_DATABASE_URL }: Record<string, string>): Record<string, string> {
  const directory = inject('postgresDirectory')
  if (PORTICO_DATABASE_URL === undefined || directory === undefined) return {}
  const url = new URL(PORTICO_DATABASE_URL)
  url.searchParams.set('host', directory)
  return { PORTICO_DATABASE_URL: url.href }
}

export interface TestPortal {
  id: string
  key: string
  key_id: string
  lead_source_id: string
  caller: Caller
  /** `call` with this Portal's key. */
  call: Client
  /** The least a business needs, and whatever else is given. */
  business(more?: Record<string, unknown>): Record<string, unknown>
}

let portalCount = 0

export async function newPortal(server: TestServer): Promise<TestPortal> {
  const { context } = server
  const { id } = await context.database.transaction((tx) =>
    createPortal(tx, context, { name: `Portal ${++portalCount}` }),
  )
  const caller: Caller = { context, portal_id: id, request_id: null }
  const key = await newKey(server, id)
  const lead_source_id = await newLeadSource(caller)
  return {
    id,
    key: key.key,
    key_id: key.id,
    lead_source_id,
    caller,
    call: (method, path, sent = {}) => server.call(method, path, { key: key.key, ...sent }),
    business: (more = {}) => ({ legal_name: `Business ${randomUUID()}`, country: 'US', lead_source_id, ...more }),
  }
}

export async function newKey(
  { context }: TestServer,
  portal_id: string,
  more: Partial<Parameters<typeof createKey>[2]> = {},
) {
  return context.database.transaction((tx) =>
    createKey(tx, context, { portal_id, name: 'test', grants: ['all'], ...more }),
  )
}

export async function newLeadSource(caller: Caller, more: Partial<NewLeadSource> = {}): Promise<string> {
  return caller.context.database.transaction((tx) =>
    createLeadSource(tx, caller, { name: 'Website', kind: 'website', requires_detail: false, ...more }),
  )
}

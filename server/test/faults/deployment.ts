// A deployment to do harm to: a database of the engine under test, one Portal, and server processes that can be killed.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createLeadSource } from '../../src/areas/businesses/commands.ts'
import { createKey, createPortal } from '../../src/building-blocks/portals/commands.ts'
import { readConfig } from '../../src/platform/config.ts'
import { newSecretKey, type RunningServer, startServer } from '../built-program.ts'
import { engine, makeDatabase, openTestContext, type TestDatabase } from '../harness.ts'
import { freePort } from '../postgres-cluster.ts'
import { createWorkers } from './separate-workers.ts'
import { startSpread } from './spread.ts'

export interface Deployment {
  environment: Record<string, string>
  portal_id: string
  keys: readonly { id: string; key: string }[]
  /** The text of the first key. */
  key: string
  /** The least a business needs, and whatever else is given. */
  business(more?: Record<string, unknown>): Record<string, unknown>
  start(settings?: {
    port?: number
    environment?: Record<string, string>
    fileLimitKilobytes?: number
  }): Promise<RunningServer>
  /** As many servers as the engine allows: two on one PostgreSQL database, one on a data directory. */
  startAll(environment?: Record<string, string>): Promise<RunningServer[]>
  /** Ends every server, and lets nobody start another. */
  remove(): Promise<void>
}

/** On a database of its own, unless another one is given. */
export async function newDeployment({
  keyCount = 1,
  place,
  files = 'shared',
}: {
  keyCount?: number
  place?: TestDatabase
  /** In the data directory where the fault strikes there, or strikes bytes that a server takes itself. */
  files?: 'shared' | 'directory'
} = {}): Promise<Deployment> {
  const database = place ?? (await makeDatabase({ hasSchema: true }))
  const spread = await startSpread()
  const environment = {
    ...database.environment,
    PORTICO_SECRET_KEY: newSecretKey(),
    // One deployment has one address, however many servers it has.
    PORTICO_PUBLIC_URL: 'https://portal.example.com',
    PORTICO_RATE_LIMITS: 'off',
    ...spread?.environment,
    ...(files === 'shared' && spread?.bucket),
  }
  const { context } = await openTestContext(readConfig(environment))
  const { portal_id, leadSourceId, keys } = await context.database.transaction(async (tx) => {
    const { id: portal_id } = await createPortal(tx, context, { name: 'Faults' })
    const caller = { context, portal_id, request_id: null }
    const leadSourceId = await createLeadSource(tx, caller, { name: 'Web', kind: 'website', requires_detail: false })
    const keys: { id: string; key: string }[] = []
    for (let i = 0; i < keyCount; i++)
      keys.push(await createKey(tx, context, { portal_id, name: `Key ${i + 1}`, grants: ['all'] }))
    return { portal_id, leadSourceId, keys }
  })
  await context.database.close()

  const started: Promise<RunningServer>[] = []
  // A test that has run out of time goes on: what it starts after that would be left to nobody.
  const removal = new AbortController()
  const isApart = spread !== undefined && engine === 'postgres'
  const workers = isApart ? createWorkers(removal.signal, (worker) => started.push(worker)) : undefined
  const start: Deployment['start'] = async ({ port, environment: more, ...limits } = {}) => {
    const settings = { environment: { ...environment, ...more }, port: port ?? (await freePort()), ...limits }
    removal.signal.throwIfAborted()
    const server = startServer({ ...settings, ...(workers && { args: ['--no-worker'] }), signal: removal.signal })
    started.push(server)
    await workers?.join(settings.environment)
    return workers ? workers.struckWith(await server) : server
  }
  return {
    environment,
    portal_id,
    keys,
    key: keys[0]?.key ?? '',
    business: (more = {}) => ({
      legal_name: `Business ${randomUUID()}`,
      country: 'US',
      lead_source_id: leadSourceId,
      ...more,
    }),
    start,
    startAll: (more) => Promise.all(Array.from({ length: processes }, () => start({ environment: more ?? {} }))),
    async remove() {
      removal.abort(new Error('the deployment was removed'))
      for (const start of await Promise.allSettled(started))
        if (start.status === 'fulfilled') await start.value.kill('SIGKILL')
      await spread?.close()
      await database.remove()
    },
  }
}

const processes = engine === 'postgres' ? 2 : 1

/** Every record of a collection, page by page. */
export async function readAll(server: RunningServer, key: string, path: string): Promise<CollectionItem[]> {
  const items: CollectionItem[] = []
  let cursor: string | null = null
  do {
    const more: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page = await server.call('GET', path + more, { key })
    if (page.status !== 200) throw new Error(`GET ${path} answered ${page.status}: ${page.text}`)
    items.push(...page.body.items)
    cursor = page.body.next_cursor
  } while (cursor !== null)
  return items
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into records of every form
type CollectionItem = Record<string, any>

export async function readBusinessIds(server: RunningServer, key: string): Promise<string[]> {
  return (await readAll(server, key, 'businesses/?page_size=100')).map(({ id }) => id)
}

/** The businesses whose creation the events tell of, one entry an event. */
export async function readCreatedIds(server: RunningServer, key: string): Promise<string[]> {
  const events = await readAll(server, key, 'events/?page_size=250&type=business.created')
  return events.map(({ data }) => data.resource.id)
}

/** Figures of a fault, on the terminal of whoever runs it. */
export function report(fault: string, figures: Record<string, number | string>): void {
  const text = Object.entries(figures).map(([name, value]) => `${name} ${value}`)
  process.stdout.write(`${fault} on ${engine}: ${text.join(', ')}\n`)
}

/** The memory a process holds right now, or has ever held at once. */
export function residentBytes(pid: number, which: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  return (
    Number(new RegExp(`^${which}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
  )
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

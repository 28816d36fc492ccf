// A throw-away PostgreSQL for the whole run: TEST_POSTGRES_URL, else a cluster made from the machine's own binaries.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { readConfig } from '../src/platform/config.ts'
import { migrate } from '../src/platform/database/migrate.ts'
import { openDatabase } from '../src/platform/database/open-database.ts'
import { createLogger } from '../src/platform/logging.ts'

export interface PostgresCluster {
  url: string
  /** The directory of its Unix socket. */
  directory: string
  /** Ends every process of it with SIGKILL, as a machine that loses its power does. */
  kill(): void
  /** Starts it again after that. */
  restart(): void
  stop(): void
}

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string | undefined
    /** The directory of its Unix socket, where it is one of ours. */
    postgresDirectory: string | undefined
    /** Databases of the current schema to copy: made once, where each test would migrate its own. */
    postgresTemplate: string | undefined
    sqliteTemplate: string
  }
}

export default async function setup(project: TestProject) {
  const given = process.env.TEST_POSTGRES_URL
  const cluster = given
    ? { url: given, directory: undefined, stop: () => undefined }
    : await startPostgresCluster(unsafeAndQuick)
  if (!cluster) {
    const message =
      'No PostgreSQL on this machine: the PostgreSQL half of the tests cannot run. Install the Debian package postgresql, or set TEST_POSTGRES_URL.'
    if (process.env.CI) throw new Error(message)
    console.warn(`\n${'!'.repeat(message.length)}\n${message}\n${'!'.repeat(message.length)}\n`)
  }
  project.provide('postgresUrl', cluster?.url)
  project.provide('postgresDirectory', cluster?.directory)
  if (given) await makeRole(given)
  const template = cluster && (await makeTemplate(cluster.url))
  project.provide('postgresTemplate', template)
  const directory = mkdtempSync(join(tmpdir(), 'portico-template-'))
  await makeSchema({ PORTICO_DATA_DIR: directory })
  project.provide('sqliteTemplate', join(directory, 'portico.db'))
  return async () => {
    rmSync(directory, { recursive: true, force: true })
    if (given && template) await runSql(given, `drop database ${template}`)
    cluster?.stop()
  }
}

/**
 * The tests kill processes, never the machine: what the operating system has been given is not lost. Databases that live
 * for seconds need nobody to tidy them up.
 */
const unsafeAndQuick = ['fsync=off', 'full_page_writes=off', 'autovacuum=off']

async function makeTemplate(server: string): Promise<string> {
  const place = await newPostgresDatabase(server)
  await makeSchema({ PORTICO_DATABASE_URL: place.url })
  return place.name
}

async function makeSchema(environment: Record<string, string>): Promise<void> {
  const config = readConfig(environment)
  const log = createLogger(config, () => undefined)
  const database = await openDatabase(config, log)
  await migrate(database)
  await database.close()
}

export async function newPostgresDatabase(server: string, template?: string): Promise<{ name: string; url: string }> {
  const name = `portico_${randomUUID().replaceAll('-', '')}`
  const url = new URL(server)
  url.username = role
  url.pathname = `/${name}`
  // A copy of the files costs half of what a copy by the log does.
  const copied = template === undefined ? '' : ` template ${template} strategy file_copy`
  await runSql(server, `create database ${name} owner ${role}${copied}`)
  return { name, url: url.href }
}

/** As an operator makes it: it owns its database and is no superuser, so that row-level security holds for it. */
const role = 'portico'

async function makeRole(server: string): Promise<void> {
  await runSql(
    server,
    `do $$ begin create role ${role} login createdb password '${new URL(server).password}'; exception when duplicate_object or unique_violation then null; end $$`,
  )
}

/** Undefined when the machine has no PostgreSQL server. */
export async function startPostgresCluster(
  settings: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
  /** Written into its data directory before it starts. */
  files: Readonly<Record<string, string>> = {},
): Promise<PostgresCluster | undefined> {
  const root = '/usr/lib/postgresql'
  const version = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a))[0] : undefined
  if (version === undefined) return undefined
  const bin = join(root, version, 'bin')
  const directory = mkdtempSync(join(tmpdir(), 'portico-pg-'))
  const port = await freePort()
  // PostgreSQL refuses to run as root.
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(directory, idOf('-u'), idOf('-g'))
  const run = (command: string) =>
    isRoot
      ? execFileSync('su', ['postgres', '-s', '/bin/sh', '-c', command], { stdio: 'pipe', cwd: '/' })
      : execFileSync('/bin/sh', ['-c', command], { stdio: 'pipe' })
  run(`${bin}/initdb -D ${directory}/data -A trust -U postgres --locale=C.UTF-8`)
  for (const [name, text] of Object.entries(files)) {
    const file = join(directory, 'data', name)
    writeFileSync(file, text, { mode: 0o600 })
    if (isRoot) chownSync(file, idOf('-u'), idOf('-g'))
  }
  const options = ['listen_addresses=127.0.0.1', 'max_connections=300', ...settings].map((one) => `-c ${one}`)
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  const start = () =>
    run(
      `env ${variables.join(' ')} ${bin}/pg_ctl -D ${directory}/data -l ${directory}/log -w -o "-p ${port} -k ${directory} ${options.join(' ')}" start`,
    )
  start()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  await makeRole(url)
  return {
    url,
    directory,
    kill() {
      const note = join(directory, 'data', 'postmaster.pid')
      const [first = ''] = readFileSync(note, 'utf8').split('\n')
      const children = execFileSync('ps', ['-o', 'pid=', '--ppid', first], { encoding: 'utf8' })
      for (const pid of [first, ...children.trim().split(/\s+/)].map(Number)) process.kill(pid, 'SIGKILL')
      // Where nobody collects dead processes, the next start would take the number in them for a running server.
      for (const file of [note, join(directory, `.s.PGSQL.${port}.lock`)]) rmSync(file)
    },
    restart: () => void start(),
    stop() {
      run(`${bin}/pg_ctl -D ${directory}/data -m immediate stop`)
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/**
 * A port that nobody listens on, below those that the system gives to connections: nobody is given it before its server
 * listens, and no client that keeps knocking while nobody listens finds itself connected to itself.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = nextPort()
    const isFree = await new Promise<boolean>((resolve) => {
      const probe = createServer().once('error', () => resolve(false))
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
    })
    if (isFree) return port
  }
}

/** The next of the ports that this process has for itself among those of a run. */
function nextPort(): number {
  const { VITEST_POOL_ID } = process.env
  // The first slices for the workers of a run, the others for whoever is none of them.
  const slice = VITEST_POOL_ID === undefined ? 8 + (process.pid % 4) : Number(VITEST_POOL_ID) % 8
  return firstPort + slice * portsOfSlice + (handedOut++ % portsOfSlice)
}
const [firstPort, portsOfSlice] = [20_000, 1000]
/** Anywhere at first: another run on this machine has the same slices. */
let handedOut = Math.floor(Math.random() * portsOfSlice)

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'postgres']))
}

/** One statement, on a connection of its own. A deadlock with a running server has undone it: it is sent again. */
export async function runSql(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query(text)
    return rows
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === '40P01')) throw error
  } finally {
    await client.end()
  }
  return await runSql(url, text)
}

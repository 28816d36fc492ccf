// A throw-away PostgreSQL for the whole run: TEST_POSTGRES_URL, else a cluster made from the machine's own binaries.
import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'

interface PostgresCluster {
  url: string
  stop(): void
}

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string | undefined
  }
}

export default async function setup(project: TestProject) {
  const given = process.env.TEST_POSTGRES_URL
  const cluster = given ? { url: given, stop: () => undefined } : await startPostgresCluster()
  if (!cluster) {
    const message =
      'No PostgreSQL on this machine: the PostgreSQL half of the tests cannot run. Install the Debian package postgresql, or set TEST_POSTGRES_URL.'
    if (process.env.CI) throw new Error(message)
    console.warn(`\n${'!'.repeat(message.length)}\n${message}\n${'!'.repeat(message.length)}\n`)
  }
  project.provide('postgresUrl', cluster?.url)
  return () => cluster?.stop()
}

/** Undefined when the machine has no PostgreSQL server. */
export async function startPostgresCluster(): Promise<PostgresCluster | undefined> {
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
  run(
    `${bin}/pg_ctl -D ${directory}/data -l ${directory}/log -w -o "-p ${port} -k ${directory} -c listen_addresses=127.0.0.1 -c max_connections=300" start`,
  )
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop() {
      run(`${bin}/pg_ctl -D ${directory}/data -m immediate stop`)
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'postgres']))
}

/** One statement, on a connection of its own. */
export async function runSql(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}

// A real PgBouncer in transaction mode, with fewer sessions than anybody who asks.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import { freePort } from './postgres-cluster.ts'

interface PgBouncer {
  /** The address of a database, through the pooler. */
  urlOf(direct: string): string
  close(): Promise<void>
}

/** For what needs a pgbouncer. Without one it is skipped with a loud word; where nothing may be skipped it fails instead. */
export function describeWithPgBouncer(name: string, tests: () => void): void {
  const isHere = places.some((place) => existsSync(place))
  if (!isHere && !process.env.CI) process.stderr.write(`\nSKIPPED: ${name}. ${howToInstall}\n`)
  if (isHere || process.env.CI) describe(name, tests)
  else describe.skip(name, tests)
}

const howToInstall = 'These tests need PgBouncer. On Debian or Ubuntu: apt-get install pgbouncer'
const places = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer']

/** Anybody is let in, to any database, unless `guard` says more: lines of the file of users, and of the settings. */
export async function startPgBouncer(
  server: string,
  sessions: number,
  guard = { databases: '*', users: '"portico" ""', settings: 'auth_type = trust' },
): Promise<PgBouncer> {
  const binary = places.find((place) => existsSync(place))
  if (!binary) throw new Error(howToInstall)
  const directory = await mkdtemp(join(tmpdir(), 'portico-pgbouncer-'))
  const port = await freePort()
  const { hostname, port: behind } = new URL(server)
  await writeFile(join(directory, 'users'), `${guard.users}\n`)
  await writeFile(
    join(directory, 'pgbouncer.ini'),
    `[databases]
${guard.databases} = host=${hostname} port=${behind}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
${guard.settings}
auth_file = ${join(directory, 'users')}
pool_mode = transaction
default_pool_size = ${sessions}
max_client_conn = 500
`,
  )
  await chmod(directory, 0o755)
  // PgBouncer refuses to run as root, too.
  const isRoot = process.getuid?.() === 0
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres']))
  const child = spawn(binary, [join(directory, 'pgbouncer.ini')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(isRoot && { uid: idOf('-u'), gid: idOf('-g') }),
  })
  let said = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (bytes) => {
      said += bytes
      if (said.includes('process up')) resolve()
    })
    child.once('exit', () => reject(new Error(`pgbouncer ended: ${said}`)))
    child.once('error', reject)
  })
  return {
    urlOf(direct) {
      const url = new URL(direct)
      url.host = `127.0.0.1:${port}`
      return url.href
    },
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
      await rm(directory, { recursive: true, force: true })
    },
  }
}

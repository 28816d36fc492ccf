// A real PgBouncer in transaction mode, with the settings of the handbook and fewer sessions than anybody who asks.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
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
  if (hasPgBouncer(name)) describe(name, tests)
  else describe.skip(name, tests)
}

export function hasPgBouncer(name: string): boolean {
  const isHere = places.some((place) => existsSync(place))
  if (!isHere && !process.env.CI) process.stderr.write(`\nSKIPPED: ${name}. ${howToInstall}\n`)
  return isHere || Boolean(process.env.CI)
}

const howToInstall = 'These tests need PgBouncer. On Debian or Ubuntu: apt-get install pgbouncer'
const places = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer']

/** Anybody is let in, to any database, unless `guard` says more: lines of the file of users, and of the settings. */
export function startPgBouncer(
  server: string,
  sessions: number,
  guard = { databases: '*', users: '"portico" ""', settings: 'auth_type = trust' },
): Promise<PgBouncer> {
  const own = guard.settings.split('\n').map((line) => line.split(' = ', 2))
  const changes = { ...Object.fromEntries(own), default_pool_size: String(sessions) }
  const ini = iniOfHandbook().replace(/^portico = /m, `${guard.databases} = `)
  return startPgBouncerAsWritten(server, { ini, users: guard.users, changes })
}

/** Settings and users as they are, except for ports and places. */
export async function startPgBouncerAsWritten(
  server: string,
  { ini, users, changes }: { ini: string; users: string; changes?: Record<string, string> },
): Promise<PgBouncer> {
  const binary = places.find((place) => existsSync(place))
  if (!binary) throw new Error(howToInstall)
  const directory = await mkdtemp(join(tmpdir(), 'portico-pgbouncer-'))
  const port = await freePort()
  const { hostname, port: behind } = new URL(server)
  const [userFile, iniFile] = [join(directory, 'users'), join(directory, 'pgbouncer.ini')]
  const placed = {
    ...changes,
    listen_port: String(port),
    unix_socket_dir: '',
    logfile: join(directory, 'log'),
    pidfile: join(directory, 'pid'),
    auth_file: userFile,
  }
  const toServer = replaced(ini, /host=\S+ port=\d+$/m, `host=${hostname} port=${behind}`)
  await writeFile(userFile, `${users}\n`)
  await writeFile(
    iniFile,
    Object.entries(placed).reduce(
      (text, [name, value]) => replaced(text, new RegExp(`^${name} = .*$`, 'm'), `${name} = ${value}`),
      toServer,
    ),
  )
  await chmod(directory, 0o755)
  // PgBouncer refuses to run as root, too.
  const isRoot = process.getuid?.() === 0
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres']))
  if (isRoot) await chown(directory, idOf('-u'), idOf('-g'))
  const child = spawn(binary, [iniFile], {
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

function iniOfHandbook(): string {
  const handbook = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8')
  const [, ini] = /^cat > \/etc\/pgbouncer\/pgbouncer\.ini <<'END'\n([\s\S]*?\n)END$/m.exec(handbook) ?? []
  if (ini === undefined) throw new Error('There is no pgbouncer.ini in docs/operating.md')
  return ini
}

/** What is not there cannot be changed. */
function replaced(text: string, pattern: RegExp, by: string): string {
  if (!pattern.test(text)) throw new Error(`${pattern} is not in pgbouncer.ini`)
  return text.replace(pattern, () => by)
}

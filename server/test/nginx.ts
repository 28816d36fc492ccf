// Debian's nginx with the configuration that we hand out; only ports, files and one time are those of the test.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './postgres-cluster.ts'
import { cleanups, makeCertificate } from './real-servers.ts'

const given = (name: string) => readFileSync(new URL(`../../deploy/nginx/${name}`, import.meta.url), 'utf8')

export interface Nginx {
  origin: string
  /** To be trusted. */
  certificate: Buffer
  /** The lines of the access log. */
  log(): Record<string, unknown>[]
  errors(): string
  /** Files that hold what does not fit into its memory. They have no name any more. */
  overflowing(): string[]
}

/** In front of servers on these two ports. Each of its workers has as many connections as the handbook says, or fewer. */
export async function startNginx([first, second]: readonly [number, number], connections = 8192): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-nginx-'))
  const port = await freePort()
  const { keyFile, certificateFile } = makeCertificate('IP:127.0.0.1')
  const logFile = join(folder, 'access.log')
  const site = replaced(given('portico.conf'), {
    'listen 443 ssl http2 default_server;': `listen 127.0.0.1:${port} ssl http2 default_server;`,
    'listen [::]:443 ssl http2 default_server;': '',
    '/etc/nginx/tls/fullchain.pem': certificateFile,
    '/etc/nginx/tls/privkey.pem': keyFile,
    '/var/log/nginx/access.log': logFile,
    '/var/log/nginx/error.log': join(folder, 'error.log'),
  })
  const upstream = replaced(given('portico-upstream.conf'), {
    '127.0.0.1:8080': `127.0.0.1:${first}`,
    '127.0.0.1:8082': `127.0.0.1:${second}`,
    'keepalive_timeout 4s': 'keepalive_timeout 1s',
  })
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  )
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${process.getuid?.() === 0 ? 'user root;' : ''}
    daemon off; worker_processes 2; pid ${folder}/pid; error_log ${folder}/error.log;
    events { worker_connections ${connections}; }
    http { ${places.join(' ')} gzip on; gzip_types *; ${upstream} ${site} }`,
  )
  const child = spawn('nginx', ['-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')])
  let output = ''
  child.stderr.on('data', (bytes) => {
    output += bytes
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  child.once('error', (error) => {
    output += String(error)
  })
  cleanups.push(async () => {
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true })
  })
  await untilListening(port, child, () => output)
  return {
    origin: `https://127.0.0.1:${port}`,
    certificate: readFileSync(certificateFile),
    errors: () => readFileSync(join(folder, 'error.log'), 'utf8'),
    overflowing: () =>
      execFileSync('ps', ['-o', 'pid=', '--ppid', String(child.pid)], { encoding: 'utf8' })
        .trim()
        .split(/\s+/)
        .flatMap((worker) => readdirSync(`/proc/${worker}/fd`).map((file) => `/proc/${worker}/fd/${file}`))
        .map(linkOf)
        .filter((file) => file.startsWith(join(folder, 'proxy'))),
    log: () =>
      readFileSync(logFile, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
  }
}

/** Nothing, if it has been closed since it was listed. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

function replaced(text: string, changes: Record<string, string>): string {
  return Object.entries(changes).reduce((so, [from, to]) => {
    if (!so.includes(from)) throw new Error(`the configuration has no "${from}" any more`)
    return so.replace(from, to)
  }, text)
}

async function untilListening(port: number, child: ChildProcess, output: () => string): Promise<void> {
  for (;;) {
    const isThere = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
    if (isThere) return
    if (child.exitCode !== null || child.pid === undefined)
      throw new Error(`nginx did not start (Debian: apt-get install nginx-light):\n${output()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

// A machine for the commands of the handbook: a folder stands for the root of its disk, and what cannot run in a test is
// a program that only notes how it was called. Everything else is real: the shell, its tools, and the built program.
import { type ExecFileException, execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { program } from './built-program.ts'

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url))

/** Paths that the handbook names, and that a test must not touch. */
const places = /(?<![\w.-])\/(?=(?:opt|etc|usr\/local|var\/lib|backups)\b)/g

export interface Machine {
  root: string
  /** The text with this machine's own paths. */
  placed(text: string): string
  shell(text: string, environment?: Record<string, string>): Promise<Ended>
  /** What was asked of the programs that cannot run here, as words. */
  calls(): string[][]
  /** What the built program was asked to do. */
  commands(): string[]
  remove(): void
}

export interface Ended {
  code: number
  output: string
}

/** Each is to be justified: why can it not run in a test? */
export const notHere = {
  npm: 'installation.test.ts makes the package and installs it',
  'systemd-sysusers': 'would add a user to this machine',
  systemctl: 'needs systemd as the first process; installation.test.ts lets systemd check the units',
  'apt-get': 'would change this machine',
  nginx: 'installation.test.ts lets nginx check the configuration, behind-nginx.postgres.test.ts runs it',
  docker: 'needs a daemon; installation.test.ts does the steps of the Dockerfile',
  aws: 'needs an account',
  journalctl: 'needs the journal of systemd',
}

/** `port` is for the servers that are started on it. */
export function makeMachine(port: number): Machine {
  const root = mkdtempSync(join(tmpdir(), 'portico-handbook-'))
  const placed = (text: string) => text.replaceAll(places, `${root}/`)
  const folders = ['etc/nginx/conf.d', 'etc/cron.d', 'etc/systemd/system', 'usr/local/bin', 'usr/local/sbin', 'opt']
  for (const folder of [...folders, 'etc/pgbouncer', 'etc/redis', 'var/lib', 'programs', 'work', 'done'])
    mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(join(root, 'etc/nginx/nginx.conf'), mainFileOfNginx)
  writeFileSync(join(root, 'etc/redis/redis.conf'), fileOfRedis)
  const add = (name: string, lines: string) => {
    const file = join(root, 'programs', name)
    writeFileSync(file, `#!/bin/bash\n${lines}\n`)
    chmodSync(file, 0o755)
  }
  const note = `printf '%s\\037' "\${0##*/}" "$@" >>${root}/calls; echo >>${root}/calls`
  for (const name of Object.keys(notHere)) add(name, note)
  // A copy out of a container is a copy.
  add('docker', `${note}\n[[ "$1 $2" == 'compose cp' ]] && exec cp "\${3#*:}" "$4"\nexit 0`)
  add('journalctl', `${note}; echo '{"request_id":"req_01jq3v8c5d7e9f1g3h5j7k9m1n"}'`)
  add('npm', `${note}\n[[ $3 == --prefix ]] && ${installed(root)}`)
  // The user of the service is not on this machine; the one of PostgreSQL knows how to reach it.
  add('runuser', `[[ $2 == postgres ]] && exec psql -q "$HANDBOOK_SUPERUSER" "\${@:5}"\nexec "\${@:4}"`)
  add('curl', `[[ $1 == https://portal.example.com/* ]] && exit\nPATH=$HANDBOOK_PATH exec curl "$@"`)
  writeFileSync(join(root, 'portico'), ownProgram(root, port))
  chmodSync(join(root, 'portico'), 0o755)
  const { PATH = '' } = process.env
  const read = (name: string) => {
    const lines = readFileSync(join(root, name), 'utf8').split('\n')
    return lines.filter((line) => line !== '')
  }
  return {
    root,
    placed,
    shell: (text, environment = {}) =>
      new Promise((resolve) => {
        const env = {
          PATH: ['programs', 'usr/local/sbin', 'usr/local/bin'].map((place) => `${join(root, place)}:`).join('') + PATH,
          HANDBOOK_PATH: PATH,
          HOME: root,
          PORTICO_DATA_DIR: join(root, 'var/lib/portico'),
          PORTICO_ENVIRONMENT: 'production',
          ...environment,
        }
        const done = (error: ExecFileException | null, stdout: string, stderr: string) =>
          resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr })
        execFile('bash', ['--norc', '-euo', 'pipefail', '-c', text], { env, cwd: join(root, 'work') }, done)
      }),
    calls: () => read('calls').map((line) => line.split('\x1f').slice(0, -1)),
    commands: () => read('commands'),
    remove: () => rmSync(root, { recursive: true }),
  }
}

/** As Debian has them, without what nobody changes. */
const mainFileOfNginx = `user www-data;
worker_processes auto;

events {
\tworker_connections 768;
\t# multi_accept on;
}
`

const fileOfRedis = `bind 127.0.0.1 -::1
protected-mode yes
port 6379
# requirepass foobared
`

/** What npm leaves in its prefix, with the paths of this machine. */
function installed(root: string): string {
  const files = '"$4/lib/node_modules/@portico/server/deploy"'
  const edit = `s#/\\(etc\\|var/lib\\)/#${root}/\\1/#g`
  return `mkdir -p "$4/bin" ${files} && cp -r ${deploy}/. ${files} && ln -s ${root}/portico "$4/bin/portico" &&
sed -i '${edit}' ${files}/systemd/portico.env ${files}/systemd/portico-admin`
}

/**
 * The built program. What only looks is done once for each database, however often the handbook says it. A server serves
 * until it is ready and what is to happen meanwhile has happened.
 */
function ownProgram(root: string, port: number): string {
  return `#!/bin/bash
echo "$*" >>${root}/commands
words=" $* "
if [[ $1 == doctor || "$*" == 'files verify' || $words == *' --drill '* ]]; then
  seen=${root}/done/$(echo "$1 \${PORTICO_DATABASE_URL-} \${PORTICO_REDIS_URL-}" | tr '/ ' __)
  [[ -e $seen ]] && exit
  touch "$seen"
fi
[[ $1 == serve ]] || exec ${process.execPath} ${program} "$@"
PORTICO_PORT=${port} PORTICO_LOG_LEVEL=warn ${process.execPath} ${program} "$@" & server=$!
until curl -sf -o /dev/null http://127.0.0.1:${port}/readyz; do
  kill -0 $server || exit
  sleep 0.1
done
bash --norc -euo pipefail -c "\${HANDBOOK_MEANWHILE-}"; status=$?
kill $server
wait $server && exit $status
`
}

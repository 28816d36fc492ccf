// From the package to a running server, on a machine without this repository: the steps of deploy/Dockerfile, done by
// this test, and what they leave. What only Docker or systemd could run is read and checked by what there is.
import { execFile, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { BlockList } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type Config, readConfig, unknownVariables } from '../src/platform/config.ts'
import { version } from '../src/platform/version.ts'
import { freePort } from './postgres-cluster.ts'

const run = promisify(execFile)
const repository = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFileSync(join(repository, path), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'portico-installation-'))
const prefix = join(folder, 'opt')
const installed = join(prefix, 'lib/node_modules/@portico/server')
const dockerfile = readDockerfile(read('deploy/Dockerfile'))
afterAll(() => rmSync(folder, { recursive: true }))

/** What a shell has that knows nothing of this repository. */
const bare = { PATH: `${join(prefix, 'bin')}:${process.env.PATH}`, HOME: folder }

beforeAll(async () => {
  const build = join(folder, 'build')
  mkdirSync(build)
  for (const modules of ['node_modules', 'server/node_modules']) {
    mkdirSync(join(build, modules, '..'), { recursive: true })
    symlinkSync(join(repository, modules), join(build, modules))
  }
  for (const { name, words } of dockerfile.build) {
    if (name === 'COPY') copy(words, build)
    // The packages are there already, and nobody is asked for them again.
    else if (words[1] !== 'ci')
      await run('sh', ['-c', words.join(' ').replaceAll('/opt/portico', prefix)], { cwd: build, env: bare })
  }
  rmSync(build, { recursive: true })
}, 240_000)

test('the package has everything in it, and nothing that is not needed', () => {
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  expect(Object.keys(manifest)).not.toContain('dependencies')
  expect(readdirSync(join(prefix, 'lib/node_modules'))).toEqual(['@portico'])
  expect(existsSync(join(installed, 'node_modules'))).toBe(false)
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
  expect(files).toEqual(
    expect.arrayContaining([
      ...['LICENSE', 'README.md', 'CHANGELOG.md', 'docs/operating.md', 'docs/generated/configuration.md'],
      ...['deploy/nginx/portico.conf', 'deploy/systemd/portico-admin', 'dist/third-party-licenses.txt'],
    ]),
  )
  expect(files.filter((file) => /\.(ts|map)$/.test(file))).toEqual([])
  expect(files.filter((file) => file.endsWith('.node')).every((file) => file.includes('linux'))).toBe(true)
})

test('the installed program prints its version, serves the demo from an empty directory, and is healthy', {
  timeout: 120_000,
}, async () => {
  const directory = join(folder, 'empty')
  mkdirSync(directory)
  const { stdout } = await run('portico', ['--version'], { env: bare, cwd: directory })
  expect(stdout.trim()).toBe(version)
  const environment = { ...bare, PORTICO_PORT: String(await freePort()), PORTICO_LOG_LEVEL: 'warn' }
  const server = spawn('portico', ['serve', '--demo'], { env: environment, cwd: directory })
  const ended = new Promise((resolve) => server.once('close', resolve))
  try {
    let output = ''
    const line = await new Promise<string>((resolve, reject) => {
      server.once('close', () => reject(new Error(output)))
      for (const stream of [server.stdout, server.stderr])
        stream.on('data', (bytes) => {
          output += bytes
          const found = /curl (-H .*)\n/.exec(output)
          if (found) resolve(`curl --silent --show-error --fail ${found[1]}`)
        })
    })
    expect(JSON.parse((await run('sh', ['-c', line])).stdout).items).toHaveLength(3)
    const address = `http://127.0.0.1:${environment.PORTICO_PORT}`
    const guide = await fetch(`${address}/docs/guides/first-steps.md`)
    expect(await guide.text()).toContain('# First steps')
    const [program = '', ...args] = JSON.parse(dockerfile.healthcheck)
    await run(program, args, { env: environment })
    server.kill('SIGTERM')
    await ended
    await expect(run(program, args, { env: environment })).rejects.toMatchObject({ code: 1 })
  } finally {
    server.kill('SIGKILL')
    await ended
  }
})

test('the image is small and runs as an ordinary user, and nobody else can read the data', () => {
  expect(dockerfile.base).toMatch(/^node:\d+-\w+-slim$/)
  const settings = settingsOfImage()
  const steps = dockerfile.final.filter(({ name }) => ['COPY', 'RUN', 'USER', 'ENTRYPOINT'].includes(name))
  expect(steps.map(({ name, words }) => [name, words.join(' ')])).toEqual([
    ['COPY', '--from=build /opt/portico /opt/portico'],
    ['RUN', `install --directory --owner node --group node --mode 0700 ${settings.PORTICO_DATA_DIR}`],
    ['USER', 'node'],
    ['ENTRYPOINT', '["portico"]'],
  ])
  expectSettings(settings)
  expect(settings).toMatchObject({ PORTICO_HOST: '0.0.0.0', PORTICO_DATA_DIR: '/var/lib/portico' })
})

test('compose.yaml starts two API processes, a worker and what they need, with settings that Portico accepts', async () => {
  const values = { PORTAL_HOST: 'portal.example.com', FILES_HOST: 'files.example.com', POSTGRES_PASSWORD: 'p' }
  const secrets = { STORE_SECRET_KEY: 's', PORTICO_SECRET_KEY: Buffer.alloc(32).toString('base64') }
  // Compose reads the file first and puts the values in afterwards.
  const asWritten = JSON.stringify(parse(read('deploy/compose.yaml'), { merge: true }))
  const compose: Compose = JSON.parse(interpolated(asWritten, { ...values, ...secrets }))
  const { services } = compose
  const names = ['api-1', 'api-2', 'bucket', 'database', 'migrate', 'proxy', 'redis', 'store', 'worker']
  expect(Object.keys(services).sort()).toEqual(names)
  const own = Object.entries(services).filter(([, { image }]) => image === 'portico')
  expect(own.map(([name, { command }]) => [name, command])).toEqual([
    ['migrate', ['migrate']],
    ['api-1', ['serve', '--no-worker']],
    ['api-2', ['serve', '--no-worker']],
    ['worker', ['worker']],
  ])
  for (const [, { environment, init, read_only, cap_drop, build, volumes, stop_grace_period }] of own) {
    expect(expectSettings(environment).previous_secret_keys).toEqual([])
    expect({ init, read_only, cap_drop }).toEqual({ init: true, read_only: true, cap_drop: ['ALL'] })
    const drainSeconds = Number(environment.PORTICO_DRAIN_DELAY_MS) / 1000
    expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThan(drainSeconds + 30)
    // The one place that the image lets them write to, and the same for all of them.
    expect(volumes).toEqual([`data:${settingsOfImage().PORTICO_DATA_DIR}`])
    expect(existsSync(join(repository, 'deploy', build.context, build.dockerfile))).toBe(true)
  }
  const named = (of: Record<string, unknown> | undefined) => Object.keys(of ?? {})
  for (const { depends_on, configs = [], volumes = [], read_only = false, logging } of Object.values(services)) {
    expect(named(services)).toEqual(expect.arrayContaining(named(depends_on)))
    const kept = volumes.map((volume) => volume.split(':')[0] ?? '').filter((place) => !place.startsWith('.'))
    expect(named(compose.volumes)).toEqual(expect.arrayContaining(kept))
    expect(named(compose.configs)).toEqual(expect.arrayContaining(configs.map(({ source }) => source)))
    for (const { file, content } of configs.map(({ source }) => compose.configs[source] ?? {})) {
      // Compose copies a content into the container, which it cannot do when the container is read-only.
      expect(content === undefined || !read_only).toBe(true)
      if (file !== undefined && !file.startsWith('./tls/'))
        expect(existsSync(join(repository, 'deploy', file))).toBe(true)
    }
    expect(logging).toMatchObject({ driver: 'local', options: { 'max-size': expect.any(String) } })
  }
  // Secrets lie beside the file: in no commit, no image, no package.
  for (const rules of ['.gitignore', 'deploy/Dockerfile.dockerignore'])
    expect(
      read(rules)
        .split('\n')
        .map((rule) => rule.replace(/\/$/, '')),
    ).toEqual(expect.arrayContaining(['deploy/.env', 'deploy/tls']))
  const proxy = services.proxy as Service // safe because its name is in the list above
  const addressOf = (name: string) => services[name]?.networks?.default.ipv4_address
  const [main = '', ...sites] = (proxy.configs ?? []).map(({ source, target }) => {
    const text = read(join('deploy', compose.configs[source]?.file ?? ''))
    return target.startsWith('/etc/nginx/templates/') ? filledIn(text, proxy.environment) : text
  })
  const [, upstream = '', files = ''] = sites
  // The image has this user.
  await expectNginxAccepts(sites.join(''), main.replace('user nginx;', ''))
  expect(files).toContain('server_name files.example.com;')
  // The query of a transfer is its credential.
  expect(files).toMatch(/^ +access_log \S+ files;$/m)
  expect(files).not.toMatch(/\$(request|args|query_string|request_uri)\b/)
  expect([...upstream.matchAll(/ server (\S+) /g)].map(([, host]) => host)).toEqual(
    ['api-1', 'api-2'].map((name) => `${addressOf(name)}:8080`),
  )
  expect(files).toContain(`//${addressOf('store')}:7070`)
  for (const [, { environment }] of own) expect(environment.PORTICO_TRUSTED_PROXIES).toBe(addressOf('proxy'))
  const given = new BlockList()
  const [address = '', bits] = compose.networks.default.ipam.config[0]?.ip_range?.split('/') ?? []
  given.addSubnet(address, Number(bits))
  const fixed = Object.keys(services).flatMap((name) => addressOf(name) ?? [])
  expect(fixed).toHaveLength(4)
  expect(fixed.filter((one) => given.check(one))).toEqual([])
  // The image writes what it makes of the template beside the other sites.
  expect(proxy.tmpfs).toContain('/etc/nginx/conf.d')
})

test('the upstream of compose.yaml differs from the other one in its addresses only', () => {
  const without = (text: string) => text.replaceAll(/^ *#.*\n/gm, '').replaceAll(/(?<=server )\S+/g, '')
  expect(without(read('deploy/compose/portico-upstream.conf'))).toBe(
    without(read('deploy/nginx/portico-upstream.conf')),
  )
})

test('the nginx configuration is accepted, and a stopping process waits longer than nginx keeps a connection', async () => {
  const upstream = read('deploy/nginx/portico-upstream.conf')
  await expectNginxAccepts(read('deploy/nginx/portico.conf') + upstream)
  const keptSeconds = Number(/keepalive_timeout (\d+)s/.exec(upstream)?.[1])
  const { PORTICO_DRAIN_DELAY_MS } = settingsOf(read('deploy/systemd/portico.env').split('\n'))
  expect(Number(PORTICO_DRAIN_DELAY_MS)).toBeGreaterThan(keptSeconds * 1000 + 1000)
})

test('nginx as in the handbook and in compose.yaml has connections to both sides for all that may run and wait', () => {
  const handbook = read('docs/operating.md')
  const promised = /At most (\d+) requests run at the same time\. Up to ([\d,]+) others wait\./.exec(handbook) ?? []
  const [running = Number.NaN, waiting = Number.NaN] = promised.slice(1).map((text) => Number(text.replace(',', '')))
  const [connections, files] = ['worker_connections', 'worker_rlimit_nofile'].map((name) => {
    const values = [handbook, read('deploy/compose/nginx.conf')].map(
      (text) => new RegExp(`${name} (\\d+);`).exec(text)?.[1],
    )
    expect(values[0], name).toBe(values[1])
    return Number(values[0])
  })
  // Two processes, and of each what runs and what waits. A worker may have to take all of it.
  expect(connections).toBeGreaterThan(2 * 2 * (running + waiting))
  expect(files).toBeGreaterThan(2 * (connections ?? 0))
})

test('the handbook names every file that nginx does not accept without IPv6', () => {
  const handbook = read('docs/operating.md')
  const named = (heading: string) => {
    const section = handbook.slice(handbook.indexOf(`\n### ${heading}\n`)).split(/\n##+ /)[1] ?? ''
    return section.split('\n').find((line) => line.includes('no IPv6')) ?? ''
  }
  const withIt = (folder: string) =>
    readdirSync(join(repository, 'deploy', folder)).filter((name) =>
      read(join('deploy', folder, name)).includes('[::]'),
    )
  expect(withIt('nginx')).toEqual(['portico.conf'])
  expect(named('nginx')).toMatch(/`listen \[::\]:443`.*`portico\.conf`/)
  expect(withIt('compose')).toEqual(['files.conf.template'])
  expect(named('Containers')).toMatch(/`nginx\/portico\.conf` and `compose\/files\.conf\.template`/)
})

test('systemd accepts the units and finds little that they expose', async () => {
  const units = join(folder, 'units')
  cpSync(join(repository, 'deploy/systemd'), units, { recursive: true })
  const env = { ...process.env, SYSTEMD_UNIT_PATH: `${units}:/lib/systemd/system` }
  for (const unit of ['portico-api@8080.service', 'portico-worker.service']) {
    const { stdout, stderr } = await run('systemd-analyze', ['verify', '--man=no', unit], { env })
    expect(stdout + stderr).toBe('')
    const security = ['security', '--offline=true', '--no-pager', '--threshold=20', unit]
    expect((await run('systemd-analyze', security, { env })).stdout).toMatch(/exposure level .* OK/)
  }
  await run('systemd-sysusers', ['--dry-run', join(units, 'portico.sysusers')], { env })
  // The lines for PostgreSQL are comments until somebody fills them in.
  const lines = read('deploy/systemd/portico.env')
    .replaceAll(/^#(?=PORTICO_)/gm, '')
    .split('\n')
  const key = Buffer.alloc(32).toString('base64')
  const filledIn = { PORTICO_SECRET_KEY: key, PORTICO_SECRET_KEY_PREVIOUS: key, PORTICO_S3_ACCESS_KEY_ID: 'a' }
  expectSettings({ ...settingsOf(lines), ...filledIn, PORTICO_S3_SECRET_ACCESS_KEY: 'b' })
})

test('the units decide where a process listens, whatever portico.env says', async () => {
  const conflicting = { PORTICO_HOST: '192.0.2.1', PORTICO_PORT: '9000', PORTICO_METRICS_PORT: '9001' }
  const configOf = async (unit: string) => {
    const start = /^ExecStart=(env .*) portico (\w+)$/m.exec(read(`deploy/systemd/${unit}`)) ?? []
    const command = `${start[1]?.replaceAll('%i', '8080')} ${process.execPath} -p 'JSON.stringify(process.env)'`
    const { stdout } = await run('sh', ['-c', command], { env: { PATH: bare.PATH, ...conflicting } })
    const { host, port, metrics_port } = readConfig(JSON.parse(stdout))
    return [start[2], host, port, metrics_port]
  }
  expect(await configOf('portico-api@.service')).toEqual(['serve', '127.0.0.1', 8080, 'auto'])
  expect((await configOf('portico-worker.service')).at(-1)).toBe(9464)
  const settings = read('deploy/systemd/portico.env')
  for (const name of Object.keys(conflicting))
    expect(settings).toMatch(new RegExp(`^# The units decide .*${name}`, 'm'))
})

test('a unit has started when its process says so, and only systemctl ends it', () => {
  const common = read('deploy/systemd/portico-.service.d/common.conf')
  for (const line of ['Type=notify', 'NotifyAccess=all', 'TimeoutStartSec=infinity', 'Restart=always'])
    expect(common.split('\n')).toContain(line)
  for (const unit of ['portico-api@.service', 'portico-worker.service'])
    expect(read(`deploy/systemd/${unit}`)).not.toContain('ExecStartPost')
})

test('portico-admin runs commands as another user with the settings of the service, and names itself in what to run next', async () => {
  const [data, closed] = [join(folder, 'service-data'), join(folder, 'of-root')]
  const settings = join(folder, 'portico.env')
  mkdirSync(data)
  mkdirSync(closed, { mode: 0o700 })
  await run('chown', ['nobody', data])
  await run('chmod', ['711', folder])
  writeFileSync(settings, `PORTICO_DATA_DIR='${data}'\n`, { mode: 0o600 })
  const script = read('deploy/systemd/portico-admin')
    .replace('/etc/portico/portico.env', settings)
    .replace('-u portico', '-u nobody')
  const admin = (...args: string[]) =>
    run('sh', ['-c', script, 'portico-admin', ...args], { env: bare, cwd: closed }).catch((error) => error)
  expect((await admin('portal', 'list')).stderr).toContain('To create a new database, run: portico-admin migrate\n')
  const { stdout } = await admin('portal', 'create', '--name', 'A b', '--json')
  expect(JSON.parse(stdout).id).toMatch(/^ptl_/)
  expect((await admin('portal', 'create', '--name', 'C')).stdout).toContain('\nNext: portico-admin key create --portal')
  expect((await admin('program', 'import', 'x', '--recipient', 'x')).stderr).toContain(
    '; portico-admin recipient publish prints it.',
  )
  const { id } = JSON.parse(stdout)
  await admin('recipient', 'publish', '--portal', id, '--name', 'A b', '--kind', 'lender', '--country', 'US')
  const programs = join(closed, 'programs.csv')
  writeFileSync(programs, 'external_reference,name,funding_type\na,A,term_loan\n', { mode: 0o600 })
  // Of root, and so not to be opened again.
  const importing = ['program', 'import', '/dev/stdin', '--recipient', id.replace('ptl', 'rcp')]
  for (const [piped, result] of [
    [`cat "$file" | { ${script} }`, ' 1 created, 0 updated, 0 unchanged'],
    [`{ ${script} } <"$file"`, ' 0 created, 0 updated, 1 unchanged'],
  ] as const) {
    const args = ['-c', `file=$1; shift; ${piped}`, 'portico-admin', programs, ...importing]
    const { stdout, stderr } = await run('sh', args, { env: bare }).catch((error) => error)
    expect([stderr, stdout]).toEqual(['', expect.stringContaining(result)])
  }
  for (const command of [['backup'], ['audit', 'export', '--output']])
    expect((await admin(...command, 'x.backup')).stderr).toBe(
      `portico: Cannot write x.backup in ${closed}: permission denied. Use an absolute path that the user nobody can write.\n`,
    )
  expect((await admin('doctor')).stdout).not.toContain('PORTICO_PROGRAM')
})

test('every file that the handbook installs is in the package', () => {
  const handbook = read('docs/operating.md')
  const section = handbook.slice(handbook.indexOf('## Install'), handbook.indexOf('## Upgrade'))
  const named = [...section.matchAll(/ (systemd\/\S+)|deploy\/(nginx\/\S+)/g)].map(
    ([, unit, site]) => unit ?? site ?? '',
  )
  const files = readdirSync(join(installed, 'deploy'), { recursive: true, encoding: 'utf8' })
  const matching = (name: string) =>
    files.filter((file) => {
      const [start = '', end = ''] = name.split('*')
      return name.includes('*') ? file.startsWith(start) && file.endsWith(end) : file === name
    })
  expect(named).toHaveLength(6)
  expect(named.filter((name) => matching(name).length === 0)).toEqual([])
})

test('every link between documents of the package leads somewhere', () => {
  // The guides are served, with the reference beside them: reference.test.ts follows their links.
  const documents = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.md') && !file.startsWith('dist/'),
  )
  const textOf = (file: string) => readFileSync(join(installed, file), 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '')
  const anchorsOf = (file: string) =>
    [...textOf(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    )
  const links = documents.flatMap((from) =>
    [...textOf(from).matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = '']) => ({ from, to })),
  )
  const dead = links.filter(({ from, to }) => {
    if (/^https?:/.test(to)) return false
    const [path = '', anchor] = to.split('#')
    const file = path === '' ? from : join(dirname(from), path)
    return !existsSync(join(installed, file)) || (anchor !== undefined && !anchorsOf(file).includes(anchor))
  })
  expect(dead).toEqual([])
  expect(links.length).toBeGreaterThan(30)
})

test('no document makes npx ask a registry for a package', () => {
  const documents = ['README.md', 'CONTRIBUTING.md', 'server/README.md', 'sdk/README.md', 'docs/operating.md'].concat(
    ['docs/guides', 'docs/operating'].flatMap((folder) =>
      readdirSync(join(repository, folder)).map((name) => `${folder}/${name}`),
    ),
  )
  const asking = documents.filter((path) => /\b(npx|npm exec)\b(?! --no )/.test(read(path)))
  expect(asking).toEqual([])
})

interface Compose {
  services: Record<string, Service>
  volumes: Record<string, unknown>
  networks: { default: { ipam: { config: { subnet: string; ip_range?: string }[] } } }
  configs: Record<string, { file?: string; content?: string }>
}

interface Service {
  image: string
  command: string[]
  environment: Record<string, string>
  init: boolean
  read_only: boolean
  stop_grace_period: string
  cap_drop: string[]
  tmpfs?: string[]
  logging?: unknown
  networks?: { default: { ipv4_address: string } }
  build: { context: string; dockerfile: string }
  depends_on?: Record<string, unknown>
  configs?: { source: string; target: string }[]
  volumes?: string[]
}

interface Instruction {
  name: string
  words: string[]
}

/** Its two stages, one instruction a line. */
function readDockerfile(text: string) {
  const instructions = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line): Instruction => {
      const [name = '', ...words] = line.split(' ')
      return { name, words }
    })
  const [start, middle] = instructions.flatMap(({ name }, place) => (name === 'FROM' ? [place] : []))
  const build = instructions.slice(start, middle).filter(({ name }) => name === 'COPY' || name === 'RUN')
  const final = instructions.slice(middle)
  const check = final.find(({ name }) => name === 'HEALTHCHECK')?.words.join(' ') ?? ''
  const base = instructions.find(({ name }) => name === 'ARG')?.words[0]?.split('=')[1]
  return { base, build, final, healthcheck: check.slice(check.indexOf('[')) }
}

/** As Docker does it, without what Dockerfile.dockerignore leaves out. */
function copy(words: readonly string[], build: string): void {
  const ignored = read('deploy/Dockerfile.dockerignore').split('\n').filter(Boolean)
  const isIgnored = (path: string) =>
    ignored.some((rule) => (rule.startsWith('**/') ? path.split('/').includes(rule.slice(3)) : path === rule))
  const target = words.at(-1) ?? ''
  const sources = words.slice(0, -1)
  for (const source of sources) {
    const isFolder = target.endsWith('/')
    cpSync(join(repository, source), join(build, target, isFolder ? (source.split('/').at(-1) ?? '') : ''), {
      recursive: true,
      filter: (path) => !isIgnored(path.slice(repository.length)),
    })
  }
}

/** NAME=value lines or words, without quotes. */
function settingsOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.flatMap((line) => {
      const found = /^(\w+)='?([^']*)'?$/.exec(line)
      return found ? [[found[1], found[2]]] : []
    }),
  )
}

function settingsOfImage(): Record<string, string> {
  return settingsOf(dockerfile.final.find(({ name }) => name === 'ENV')?.words ?? [])
}

function expectSettings(environment: Record<string, string>): Config {
  expect(unknownVariables(environment)).toEqual([])
  return readConfig(environment)
}

/** ${NAME}, ${NAME:?message} and ${NAME:-instead}, as Compose reads them; $$ stays one dollar. */
function interpolated(text: string, values: Record<string, string>): string {
  return text.replace(/\$\$|\$\{(\w+)(?::\?[^}]*|:-([^}]*))?\}/g, (whole, name, instead) => {
    if (whole === '$$') return '$'
    const value = values[name] || instead
    if (value === undefined) throw new Error(`compose.yaml asks for ${name}`)
    return value
  })
}

/** A template of nginx, as the image fills it in: from the variables that the filter lets through. */
function filledIn(text: string, { NGINX_ENVSUBST_FILTER = '', ...environment }: Record<string, string>): string {
  return text.replace(/\$\{?(\w+)\}?/g, (whole, name) =>
    new RegExp(NGINX_ENVSUBST_FILTER).test(name) ? (environment[name] ?? whole) : whole,
  )
}

/** Where the main file of nginx takes in the others. */
const included = 'include /etc/nginx/conf.d/*.conf;'

async function expectNginxAccepts(
  sites: string,
  main = `pid /run/nginx.pid; events {} http { ${included} }`,
): Promise<void> {
  const tls = join(folder, 'tls')
  if (!existsSync(tls)) {
    mkdirSync(tls)
    const files = ['-keyout', join(tls, 'privkey.pem'), '-out', join(tls, 'fullchain.pem')]
    await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=test', ...files])
  }
  const text = main.replace(included, () => sites).replace('/run/nginx.pid', join(folder, 'pid'))
  const here = text.replaceAll('/etc/nginx/tls', tls).replaceAll('/var/log/nginx', folder)
  writeFileSync(join(folder, 'nginx.conf'), here)
  const { stderr } = await run('nginx', ['-t', '-q', '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')])
  expect(stderr).toBe('')
}

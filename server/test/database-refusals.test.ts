// A database that cannot be used: every command says in one sentence what is wrong, and never with the password in it.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { newSecretKey, runPortico } from './built-program.ts'
import { runHere } from './command-here.ts'
import { describeOn, makeDatabase, type TestDatabase } from './harness.ts'
import { freePort, runSql } from './postgres-cluster.ts'

const commands = [['serve'], ['migrate'], ['portal', 'create', '--name', 'A']]

async function expectSentence(environment: Record<string, string>, sentence: RegExp): Promise<void> {
  for (const command of commands) {
    const run = command[0] === 'serve' ? runPortico : runHere
    const plain = await run(command, environment)
    expect([command.join(' '), plain.code, plain.stdout]).toEqual([command.join(' '), 1, ''])
    expect(plain.stderr).toMatch(sentence)
    expect(plain.stderr.trim().split('\n')).toHaveLength(1)
    expect(plain.stderr).not.toMatch(/s3cret|\.js:\d|\.ts:\d|\.\.$/)
    const json = await run([...command, '--json'], environment)
    expect([json.code, Object.keys(JSON.parse(json.stderr))]).toEqual([1, ['error']])
    expect(JSON.parse(json.stderr).error).toMatch(sentence)
  }
  const doctor = await runHere(['doctor', '--json'], environment)
  expect(doctor.code).toBe(1)
  expect(doctor.stdout).toMatch(sentence)
  expect(doctor.stdout + doctor.stderr).not.toContain('s3cret')
}

describeOn('postgres')('PostgreSQL that refuses', () => {
  let database: TestDatabase
  let url: URL
  beforeAll(async () => {
    database = await makeDatabase()
    url = new URL(database.environment.PORTICO_DATABASE_URL ?? '')
    url.password = 's3cret'
  })
  afterAll(() => database.remove())

  const environmentFor = (change: (url: URL) => void) => {
    const changed = new URL(url)
    change(changed)
    return { ...database.environment, PORTICO_SECRET_KEY: newSecretKey(), PORTICO_DATABASE_URL: changed.href }
  }

  test('a database that does not exist', async () => {
    const environment = environmentFor((own) => {
      own.pathname = '/nowhere'
    })
    await expectSentence(environment, /has no database named nowhere\. Create it/)
  })

  test('a role that does not exist', async () => {
    const environment = environmentFor((own) => {
      own.username = 'nobody_here'
    })
    await expectSentence(environment, /rejected the role nobody_here: .* Check the role and the password/)
  })

  test('a port where nobody listens', async () => {
    const port = await freePort()
    const environment = environmentFor((own) => {
      own.port = String(port)
    })
    await expectSentence(environment, /cannot be reached: .*ECONNREFUSED.* Check PORTICO_DATABASE_URL/)
  })

  test('a host that is not known', async () => {
    const environment = environmentFor((own) => {
      own.hostname = 'nowhere.invalid'
    })
    await expectSentence(environment, /The host name nowhere\.invalid cannot be resolved/)
  })

  test('encryption that the server does not speak', async () => {
    const environment = environmentFor((own) => own.searchParams.set('sslmode', 'verify-full'))
    await expectSentence(environment, /PostgreSQL at .* does not accept TLS\. Set ssl = on .* or set sslmode=disable/)
  })

  test('a role without rights', async () => {
    const server = inject('postgresUrl') ?? ''
    const role = `weak_${Date.now()}`
    await runSql(server, `create role ${role} login password 's3cret'`)
    const environment = environmentFor((own) => {
      own.username = role
    })
    const { code, stderr } = await runPortico(['migrate'], environment)
    expect(code).toBe(1)
    expect(stderr).toMatch(new RegExp(`^portico: The role ${role} lacks permissions in the database .* Grant them`))
    expect(stderr.trim().split('\n')).toHaveLength(1)
    await runSql(server, `drop role ${role}`)
  })
})

describeOn('sqlite')('a SQLite file that cannot be used', () => {
  let directory: string
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'portico-test-'))
  })
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  test.each([
    [
      'no database',
      (file: string) => writeFileSync(file, 'x'.repeat(8192)),
      /is damaged: file is not a database\. Keep a copy of the directory, then restore/,
    ],
    ['a directory', (file: string) => mkdirSync(file), /unable to open database file\. Check PORTICO_DATA_DIR/],
  ])('%s in its place', async (name, damage, sentence) => {
    const own = join(directory, name.replace(' ', '-'))
    mkdirSync(own)
    damage(join(own, 'portico.db'))
    await expectSentence({ PORTICO_DATA_DIR: own }, sentence)
  })

  test('a data directory that cannot be made', async () => {
    writeFileSync(join(directory, 'file'), '')
    const { code, stderr } = await runHere(['portal', 'create', '--name', 'First'], {
      PORTICO_DATA_DIR: join(directory, 'file', 'below'),
    })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^portico: The data directory .* cannot be created: .*\n$/)
  })

  test('a database that is not there is not made by who only looks', async () => {
    const missing = join(directory, 'missing')
    for (const command of [
      ['backup', join(directory, 'x.backup')],
      ['audit', 'verify'],
    ]) {
      const { code, stderr } = await runHere(command, { PORTICO_DATA_DIR: missing })
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^portico: There is no database at .*\n$/)])
    }
    expect(existsSync(missing)).toBe(false)
  })
})

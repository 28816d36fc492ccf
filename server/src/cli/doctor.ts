import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Command } from 'commander'
import { sql } from 'kysely'
import color from 'picocolors'
import { jobs } from '../app.ts'
import { examineTesseract } from '../building-blocks/autofill/documents/formats/tesseract.ts'
import type { TimedContext } from '../platform/background/kept-time.ts'
import { queueWarning } from '../platform/background/queue-depth.ts'
import { findUnfinished } from '../platform/backup/unfinished.ts'
import { second } from '../platform/clock.ts'
import { type Config, readConfig, riskySettings, unknownVariables } from '../platform/config.ts'
import { compareSchema } from '../platform/database/migrate.ts'
import { sqliteFile } from '../platform/database/open-database.ts'
import { deploymentProblem, isClaimed, tryToWrite } from '../platform/deployment.ts'
import { readAnswer } from '../platform/storage/direct-upload.ts'
import { counted } from '../platform/values/counted.ts'
import { reasonOf } from '../platform/values/reason.ts'
import { examineBackups } from './backup-check.ts'
import { examineErasures } from './business-erasures.ts'
import { examineClock } from './clock.ts'
import { damagedFile, explainDatabaseError } from './database-errors.ts'
import { directProblem } from './direct-check.ts'
import { examineJobs } from './jobs-check.ts'
import { CommandError, explainFailure, type OutputOptions, print } from './output.ts'
import { examineRedis } from './redis-check.ts'
import { examineKeys } from './secret.ts'
import { secretKeyFile } from './secret-key.ts'
import { commandLogger, emptyDatabase, openContextAsItIs } from './session.ts'
import { type Add, examineDataDirectory, examineFileStore, lostFiles } from './storage-check.ts'
import { examineWall } from './wall-check.ts'

interface Finding {
  check: string
  outcome: 'ok' | 'warning' | 'problem'
  message: string
}

export function doctorCommand(program: Command): void {
  program
    .command('doctor')
    .description(
      'Check configuration, data directory, file store, OCR, database, schema, row-level security, secret key, clock, background jobs, erasures, worker, backups and Redis.',
    )
    .option('--json', 'print JSON')
    .action(async (options: OutputOptions) => {
      const findings = await examine()
      const marks = { ok: color.green('✓'), warning: color.yellow('!'), problem: color.red('✗') }
      print(
        options,
        { findings },
        findings.map(({ check, outcome, message }) => `${marks[outcome]} ${check}: ${message}`).join('\n'),
      )
      const problems = findings.filter(({ outcome }) => outcome === 'problem').length
      if (problems > 0) throw new CommandError(`${counted(problems, 'problem')} found.`)
    })
}

async function examine(): Promise<Finding[]> {
  const findings: Finding[] = []
  const add = (check: string, outcome: Finding['outcome'], message: string) =>
    findings.push({ check, outcome, message })
  const attempt = async (check: string, look: () => Promise<Finding | Finding[] | string | undefined>, fine = '') => {
    try {
      const problem = await look()
      if (typeof problem === 'object') findings.push(...[problem].flat())
      else add(check, problem ? 'problem' : 'ok', problem ?? fine)
    } catch (error) {
      const explained = context ? explainDatabaseError(context, error) : error
      add(check, 'problem', explainFailure(explained).split('\n', 1)[0] ?? '')
    }
  }

  let context: TimedContext | undefined
  let config: Config
  try {
    config = readConfig(process.env)
    add(
      'configuration',
      'ok',
      `${config.environment}, ${config.database_url ? 'PostgreSQL' : 'SQLite'}, public URL ${config.public_url}`,
    )
  } catch (error) {
    add('configuration', 'problem', explainFailure(error))
    return findings
  }
  for (const name of unknownVariables(process.env))
    add('configuration', 'warning', `${name} is not a Portico setting. Check the spelling.`)
  for (const risk of riskySettings(config)) add('configuration', 'warning', risk)
  examineDataDirectory(config, add)
  await examineFileStore(config, add)
  await examineOcr(config, add)

  const isFirstStart = config.secret_key !== undefined || !existsSync(secretKeyFile(config))
  if (config.database_url === undefined && !existsSync(sqliteFile(config)) && isFirstStart) {
    add('database', 'ok', `${sqliteFile(config)} does not exist yet; the first start creates it`)
    return findings
  }
  await attempt(
    'secret key and database',
    async () => {
      context = await openContextAsItIs(config, commandLogger(config))
      await sql`select 1`.execute(context.database.read)
      return undefined
    },
    'the database responds',
  )
  const { database } = context ?? {}
  if (context && database && findings.at(-1)?.outcome === 'ok') {
    const opened = context
    if (database.engine === 'sqlite')
      await attempt(
        'database file',
        async () => {
          const found = await database.findDamage()
          return found === undefined ? undefined : damagedFile(config, found).message
        },
        'no damage found',
      )
    await attempt(
      'schema',
      async () => {
        const { missing, isEmpty } = await compareSchema(database)
        if (isEmpty && database.engine === 'postgres') return emptyDatabase
        if (missing.length > 0 && database.engine === 'postgres')
          return `${counted(missing.length, 'migration')} not applied. Run: portico migrate`
        return undefined
      },
      database.engine === 'postgres' ? 'up to date' : 'up to date, or updated automatically at the next start',
    )
    if (await findUnfinished(database.read, database.engine))
      add('restore', 'warning', 'a restore was interrupted; the next start, or the same restore command, completes it')
    if (database.damage() === undefined && (await compareSchema(database)).missing.length === 0) {
      const isInUse = await isClaimed(database)
      if (isInUse)
        await attempt('deployment', () => deploymentProblem(opened), 'environment and secret key match the database')
      else
        add(
          'deployment',
          'warning',
          'Nobody has used this database yet: it has tables and nothing in them. The first start sets it up. If there should be data in it, restore a backup into a new, empty database.',
        )
      if (isInUse) await attempt('secret key', async () => ({ check: 'secret key', ...(await examineKeys(opened)) }))
      await attempt('database writes', () => tryToWrite(opened).then(() => undefined), 'the database can be written')
      if (database.engine === 'postgres')
        await attempt('row-level security', async () => ({
          check: 'row-level security',
          ...(await examineWall(database)),
        }))
      if (config.database_pooler === 'transaction' && config.database_direct_url !== undefined)
        await attempt('direct connection', () => directProblem(config, database), 'workers hear of new events at once')
      await attempt('clock', async () => ({ check: 'clock', ...(await examineClock(opened)) }))
      await attempt('background jobs', () => examineJobs(database.read))
      await attempt('erasures', async () => ({ check: 'erasures', ...(await examineErasures(opened)) }))
      await attempt('worker', async () => {
        const message = await queueWarning(opened, jobs)
        return { check: 'worker', outcome: message ? 'warning' : 'ok', message: message ?? 'due jobs are taken up' }
      })
      await attempt('stored files', () => lostFiles(opened), 'the file store has the files that were stored last')
      await attempt('backups', async () => ({ check: 'backups', ...(await examineBackups(opened)) }))
    }
  }
  if (context) {
    const { scanner } = context
    if (scanner) await attempt('virus scanner', async () => void (await scanner.ping()), 'the scanner responds')
  }
  if (config.redis) findings.push({ check: 'Redis', ...(await examineRedis(config.redis)) })
  await context?.files.close()
  await database?.close()
  findings.push({ check: 'port', ...(await examinePort(config)) })
  return findings
}

async function examineOcr({ tesseract }: Config, add: Add): Promise<void> {
  if (tesseract === undefined) {
    add('OCR', 'ok', 'not available: Autofill does not read scans. To read them, install the package tesseract-ocr.')
    return
  }
  const found = await examineTesseract(tesseract)
  if (found) add('OCR', 'ok', `${found.version}, ${tesseract}, languages ${found.languages.join(', ')}`)
  else
    add(
      'OCR',
      'problem',
      `${tesseract} does not work as Tesseract with English, German, French or Spanish data. Set PORTICO_TESSERACT to the program, or to off.`,
    )
}

async function examinePort(config: Config): Promise<Omit<Finding, 'check'>> {
  const { host, port } = config
  const place = `${host}:${port}`
  const problem = await portProblem(config)
  if (problem === undefined) return { outcome: 'ok', message: `${place} is free` }
  if (problem.code !== 'EADDRINUSE')
    return {
      outcome: 'warning',
      message: `this user cannot listen on ${place}: ${reasonOf(problem)}. A server that runs as another user may be able to; otherwise correct PORTICO_HOST or PORTICO_PORT.`,
    }
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host)
  const health = await fetch(`http://${reachable}:${port}/healthz`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(5 * second),
  })
    .then((answer) => readAnswer(answer, 5 * second))
    .catch(() => '')
  return health === '{"status":"ok"}'
    ? { outcome: 'ok', message: `a server of Portico answers at ${place}` }
    : {
        outcome: 'warning',
        message: `${place} is in use by something that does not answer as a server of Portico does. A server cannot start there: stop the other program, or set PORTICO_PORT.`,
      }
}

function portProblem({ host, port }: Config): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', resolve)
    probe.listen(port, host, () => probe.close(() => resolve(undefined)))
  })
}

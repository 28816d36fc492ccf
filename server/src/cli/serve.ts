import type { Server as HttpServer } from 'node:http'
import type { Command } from 'commander'
import { createServer, jobs, startBackground, watchProcess, watchTime } from '../app.ts'
import { closeOutbound } from '../areas/webhooks/outbound.ts'
import type { TimedContext } from '../platform/background/kept-time.ts'
import { type Config, readConfig, riskySettings, unknownVariables } from '../platform/config.ts'
import { apiUrl, type Context, docsUrl } from '../platform/context.ts'
import { claimDatabase } from '../platform/deployment.ts'
import { serveMetrics } from '../platform/http/metrics-listener.ts'
import { createProbes, type Probes } from '../platform/http/probes.ts'
import { backlog } from '../platform/http/wide-door.ts'
import { createLogger, type Logger, openLogSink } from '../platform/logging.ts'
import { createMetrics, type Metrics } from '../platform/metrics.ts'
import { holdKeys } from '../platform/secrets/key-holders.ts'
import { lockDataDirectory } from './data-lock.ts'
import { damagedFile, explainDatabaseError } from './database-errors.ts'
import { ensureDemo, wholeDemo } from './demo.ts'
import { CommandError, goOnWithoutOutput, type OutputOptions, print } from './output.ts'
import { reportReady } from './report-ready.ts'
import { existingSecretKeys } from './secret-key.ts'
import { closeContext, openContext } from './session.ts'
import { awaitStop, type Stop } from './stop-signals.ts'
import { reportFileDirectory } from './storage-check.ts'
import { type DemoAccess, welcome } from './welcome.ts'

export function serveCommands(program: Command): void {
  program
    .command('serve')
    .description('Serve the API and run background jobs until stopped.')
    .option('--no-worker', 'do not run background jobs; run `portico worker` for them')
    .option('--demo', 'create the demo Portal if there is no Portal yet')
    .option('--json', 'print the addresses as JSON')
    .action(serve)
  program
    .command('worker')
    .description('Run background jobs only, until stopped.')
    .option('--json', 'print JSON (the log is always JSON)')
    .action(work)
}

async function serve(options: OutputOptions & { worker: boolean; demo?: boolean }): Promise<void> {
  const config = readConfig(process.env)
  goOnWithoutOutput()
  const sink = openLogSink(process.stdout.fd)
  const log = createLogger(config, sink.write)
  warnOfSettings(config, log)
  const unlock = config.database_url === undefined ? lockDataDirectory(config) : () => undefined
  const context = await withTraces(await openContext(config, log, { mayCreate: true }))
  await lookForDamage(context)
  await claimDatabase(context).catch((error) => {
    throw explainDatabaseError(context, error)
  })
  const held = await holdKeys(context, () => existingSecretKeys(config))
  const metrics = createMetrics(sink.lostLines)
  const watch = watchTime(context, metrics)
  const server = createServer(context, metrics)
  watchProcess(context, metrics, server.probes)
  const metricsServer = await startMetrics(context, metrics, server.probes)
  // From here on there may be requests to finish.
  const stop = awaitStop(() => {
    log.info('stopping: finishing requests and jobs in progress')
    server.drain()
  }, config.drain_delay_ms)
  // Before anybody is served: half a demo ends the start.
  if (options.demo) await wholeDemo(context)
  await listen(server.http, config)
  const demo: DemoAccess | undefined = options.demo ? await ensureDemo(context) : undefined
  // What was told to stop meanwhile takes on nothing more.
  const isStarted = !stop.isAsked()
  const worker = isStarted && options.worker ? startBackground(context, metrics) : undefined
  if (isStarted) {
    log.info(
      {
        address: `http://${config.host}:${config.port}`,
        public_url: config.public_url,
        environment: config.environment,
        engine: context.database.engine,
        worker: options.worker,
      },
      'server started',
    )
    void reportFileDirectory(context)
    if (options.json || options.demo || process.stdout.isTTY)
      print(options, { url: apiUrl(config, '/'), docs: docsUrl(config, '/'), ...demo }, welcome(config, demo))
    void reportReady(context, { socket: process.env.NOTIFY_SOCKET, isReady: server.probes.isReady, stop })
  }

  await stop.drained
  await Promise.all([server.close(), worker?.stop()])
  // Without a worker it was used by requests alone.
  await closeOutbound(context)
  await watch.stop()
  await held.stop()
  metricsServer?.close()
  await closeContext(context)
  unlock()
  log.info('stopped')
}

async function work(): Promise<void> {
  const config = readConfig(process.env)
  goOnWithoutOutput()
  const sink = openLogSink(process.stdout.fd)
  const log = createLogger(config, sink.write)
  warnOfSettings(config, log)
  const context = await withTraces(await openContext(config, log))
  await lookForDamage(context)
  const metrics = createMetrics(sink.lostLines)
  await claimDatabase(context).catch((error) => {
    throw explainDatabaseError(context, error)
  })
  const held = await holdKeys(context, () => existingSecretKeys(config))
  const watch = watchTime(context, metrics)
  let worker: ReturnType<typeof startBackground> | undefined
  let stop: Stop | undefined
  const probes = createProbes(
    context,
    jobs,
    () => stop?.isAsked() ?? false,
    () => worker?.isWorking() ?? false,
  )
  watchProcess(context, metrics, probes)
  // Before any work begins: without its port the process ends, and what it had claimed would have to wait.
  const metricsServer = await startMetrics(context, metrics, probes)
  // From here on there may be jobs to finish.
  stop = awaitStop(() => log.info('stopping: finishing jobs in progress'))
  worker = startBackground(context, metrics)
  log.info({ engine: context.database.engine }, 'worker started')
  void reportFileDirectory(context)
  void reportReady(context, { socket: process.env.NOTIFY_SOCKET, isReady: probes.isReady, stop })
  await stop.drained
  await worker.stop()
  await watch.stop()
  await held.stop()
  metricsServer?.close()
  await closeContext(context)
  log.info('stopped')
}

function warnOfSettings(config: Config, log: Logger): void {
  for (const name of unknownVariables(process.env))
    log.warn({ name }, 'unknown environment variable; check the spelling')
  for (const risk of riskySettings(config)) log.warn(risk)
}

/** What is broken stops the start, unless looking takes longer; readiness then reports it as soon as it is found. */
async function lookForDamage({ config, database, log }: Context): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), 500)
  })
  const looking = database.findDamage().catch((error) => {
    log.warn({ err: error }, 'the database file could not be checked for damage')
    return undefined
  })
  const found = await Promise.race([looking, patience])
  clearTimeout(timer)
  if (found !== undefined) throw damagedFile(config, found)
  void looking.then((late) => {
    if (late !== undefined) log.error({ damage: late }, 'the database file is damaged; nothing is written to it')
  })
}

/** Nothing of them is loaded unless they are on. */
async function withTraces(context: TimedContext): Promise<TimedContext> {
  const { traces } = context.config
  if (!traces) return context
  const { startTraces } = await import('../platform/tracing/start-traces.ts')
  return { ...context, trace: startTraces(context, traces) }
}

async function listen(http: ReturnType<typeof createServer>['http'], config: Config): Promise<void> {
  try {
    // For `localhost` Fastify opens a second server, which none of our listeners would guard.
    const host = config.host === 'localhost' ? '127.0.0.1' : config.host
    await http.listen({ host, port: config.port, backlog })
  } catch (error) {
    throw explainListenError(error, config.host, config.port, 'PORTICO_PORT')
  }
}

async function startMetrics(context: Context, metrics: Metrics, probes: Probes): Promise<HttpServer | undefined> {
  const { config, log } = context
  if (config.metrics_port === 'off') return undefined
  const { metrics_host: host } = config
  const port = config.metrics_port === 'auto' ? config.port + 1 : config.metrics_port
  try {
    return await serveMetrics(context, metrics, probes, { host, port })
  } catch (error) {
    if (config.metrics_port !== 'auto')
      throw explainListenError(error, host, port, 'PORTICO_METRICS_PORT', 'PORTICO_METRICS_HOST')
    log.warn(
      `metrics and probes are disabled: port ${port} cannot be used; set PORTICO_METRICS_PORT to a different port`,
    )
    return undefined
  }
}

function explainListenError(
  error: unknown,
  host: string,
  port: number,
  variable: string,
  hostVariable = 'PORTICO_HOST',
): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return new CommandError(
      `Port ${port} on ${host} is already in use. Stop the program that uses it, or set ${variable} to a different port.`,
    )
  if (code === 'EACCES')
    return new CommandError(`This user is not allowed to listen on port ${port}. Set ${variable} to a port above 1023.`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new CommandError(
      `${host} is not an address of this machine. Set ${hostVariable} to an address of this machine, such as 127.0.0.1 or 0.0.0.0.`,
    )
  return error
}

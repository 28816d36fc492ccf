import type { Server as HttpServer } from 'node:http'
import type { Command } from 'commander'
import { createServer, startBackground, watchTime } from '../app.ts'
import { closeOutbound } from '../areas/webhooks/outbound.ts'
import { type Config, readConfig, unknownVariables } from '../platform/config.ts'
import { apiUrl, type Context, docsUrl } from '../platform/context.ts'
import { claimDatabase } from '../platform/deployment.ts'
import { serveMetrics } from '../platform/http/metrics-listener.ts'
import { createLogger, openLogSink } from '../platform/logging.ts'
import { createMetrics, type Metrics } from '../platform/metrics.ts'
import { lockDataDirectory } from './data-lock.ts'
import { explainDatabaseError } from './database-errors.ts'
import { ensureDemo } from './demo.ts'
import { CommandError, goOnWithoutOutput, type OutputOptions, print } from './output.ts'
import { closeContext, openContext } from './session.ts'
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
  for (const name of unknownVariables(process.env))
    log.warn({ name }, 'unknown environment variable; check the spelling')
  const unlock = config.database_url === undefined ? lockDataDirectory(config) : () => undefined
  const context = await openContext(config, log)
  await claimDatabase(context).catch((error) => {
    throw explainDatabaseError(context, error)
  })
  const metrics = createMetrics(sink.lostLines)
  const watch = watchTime(context, metrics)
  const server = createServer(context, metrics)
  const metricsServer = await startMetrics(context, metrics)
  await listen(server.http, config)
  const demo: DemoAccess | undefined = options.demo ? await ensureDemo(context) : undefined
  const worker = options.worker ? startBackground(context, metrics) : undefined
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
  if (options.json || options.demo || process.stdout.isTTY) {
    print(options, { url: apiUrl(config, '/'), docs: docsUrl(config, '/'), ...demo }, welcome(config, demo))
  }

  await stopSignal()
  log.info('stopping: finishing requests and jobs in progress')
  server.drain()
  if (config.drain_delay_ms > 0) await new Promise((resolve) => setTimeout(resolve, config.drain_delay_ms))
  forceExitAfter(30_000)
  await Promise.all([server.close(), worker?.stop()])
  // Without a worker it was used by requests alone.
  await closeOutbound(context)
  await watch.stop()
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
  const context = await openContext(config, log)
  const metrics = createMetrics(sink.lostLines)
  await claimDatabase(context).catch((error) => {
    throw explainDatabaseError(context, error)
  })
  const metricsServer = await startMetrics(context, metrics)
  const watch = watchTime(context, metrics)
  const worker = startBackground(context, metrics)
  log.info({ engine: context.database.engine }, 'worker started')
  await stopSignal()
  forceExitAfter(30_000)
  await worker.stop()
  await watch.stop()
  metricsServer?.close()
  await closeContext(context)
  log.info('stopped')
}

async function listen(http: ReturnType<typeof createServer>['http'], config: Config): Promise<void> {
  try {
    // For `localhost` Fastify opens a second server, which none of our listeners would guard.
    const host = config.host === 'localhost' ? '127.0.0.1' : config.host
    await http.listen({ host, port: config.port, backlog: 1024 })
  } catch (error) {
    throw explainListenError(error, config.host, config.port, 'PORTICO_PORT')
  }
}

async function startMetrics(context: Context, metrics: Metrics): Promise<HttpServer | undefined> {
  const { config, log } = context
  if (config.metrics_port === 'off') return undefined
  const port = config.metrics_port === 'auto' ? config.port + 1 : config.metrics_port
  try {
    return await serveMetrics(context, metrics, port)
  } catch (error) {
    if (config.metrics_port !== 'auto') throw explainListenError(error, '127.0.0.1', port, 'PORTICO_METRICS_PORT')
    log.warn(`metrics are disabled: port ${port} cannot be used; set PORTICO_METRICS_PORT to a different port`)
    return undefined
  }
}

function explainListenError(error: unknown, host: string, port: number, variable: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return new CommandError(
      `Port ${port} on ${host} is already in use. Stop the program that uses it, or set ${variable} to a different port.`,
    )
  if (code === 'EACCES')
    return new CommandError(`This user is not allowed to listen on port ${port}. Set ${variable} to a port above 1023.`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new CommandError(
      `${host} is not an address of this machine. Set PORTICO_HOST to an address of this machine, such as 127.0.0.1 or 0.0.0.0.`,
    )
  return error
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    // The listeners stay: a second signal must not interrupt the stop that the first one started.
    process.on('SIGTERM', () => resolve())
    process.on('SIGINT', () => resolve())
  })
}

/** A stop must end in bounded time. Clients retry unfinished requests, and unfinished jobs run again. */
function forceExitAfter(milliseconds: number): void {
  setTimeout(() => process.exit(1), milliseconds).unref()
}

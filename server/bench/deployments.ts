// A deployment to measure in: a database of one engine with a Portal, a key and a lead source, and the two servers on it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newSecretKey } from '../test/built-program.ts'
import { newPostgresDatabase, runSql } from '../test/postgres-cluster.ts'
import { type Cores, type ServerProcess, startServerProcess } from './processes.ts'
import { bareProgram, porticoProgram, runPortico } from './programs.ts'

export type Engine = 'sqlite' | 'postgres'

export interface Deployment {
  engine: Engine
  environment: Record<string, string>
  sqlite_file: string
  database_url: string | undefined
  portal_id: string
  key: string
  lead_source_id: string
  remove(): Promise<void>
}

/** Both servers put this into every `url`, so that their bytes can be compared. */
const publicUrl = 'https://portal.example.com'

export async function makeDeployment(engine: Engine, clusterUrl: string | undefined): Promise<Deployment> {
  const database = await makeDatabase(engine, clusterUrl)
  const { environment } = database
  await runPortico(['migrate'], environment)
  const portal = await runPortico(['portal', 'create', '--name', 'Bench'], environment)
  const key = await runPortico(
    ['key', 'create', '--portal', portal.id, '--name', 'bench', '--grant', 'all'],
    environment,
  )
  const leadSource = await runPortico(
    ['lead-source', 'create', '--portal', portal.id, '--name', 'Website', '--kind', 'website'],
    environment,
  )
  return { ...database, engine, portal_id: portal.id, key: key.key, lead_source_id: leadSource.id }
}

/** The directory and, on PostgreSQL, the empty database of a deployment. */
async function makeDatabase(engine: Engine, clusterUrl: string | undefined) {
  const directory = mkdtempSync(join(tmpdir(), 'portico-bench-'))
  const environment: Record<string, string> = {
    PORTICO_DATA_DIR: directory,
    PORTICO_SECRET_KEY: newSecretKey(),
    PORTICO_PUBLIC_URL: publicUrl,
    // Counted like any other, but never refused.
    PORTICO_RATE_LIMIT_READ: '9999999/1',
    PORTICO_RATE_LIMIT_WRITE: '9999999/1',
    PORTICO_RATE_LIMIT_HEAVY: '9999999/1',
  }
  let database_url: string | undefined
  let dropDatabase: (() => Promise<unknown>) | undefined
  if (engine === 'postgres') {
    if (clusterUrl === undefined) throw new Error('there is no PostgreSQL to measure on')
    const { name, url } = await newPostgresDatabase(clusterUrl)
    database_url = url
    environment.PORTICO_DATABASE_URL = url
    dropDatabase = () => runSql(clusterUrl, `drop database ${name} with (force)`)
  }
  return {
    environment,
    sqlite_file: join(directory, 'portico.db'),
    database_url,
    async remove() {
      await dropDatabase?.()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

export async function startPortico(deployment: Deployment, cores?: Cores): Promise<ServerProcess> {
  return startProgram(porticoProgram, deployment, cores)
}

/** A server of ours, perhaps built in another way. */
export async function startProgram(
  program: string,
  { environment }: Deployment,
  cores?: Cores,
): Promise<ServerProcess> {
  return startServerProcess(program, { args: () => ['serve'], environment, readyPath: '/readyz', cores })
}

export async function startBare(
  { portal_id, sqlite_file, database_url }: Deployment,
  cores?: Cores,
): Promise<ServerProcess> {
  const settings = { public_url: publicUrl, portal_id, sqlite_file, database_url }
  return startServerProcess(bareProgram, {
    args: (port) => [JSON.stringify({ port, ...settings })],
    readyPath: '/ready',
    cores,
  })
}

/** Runs `work` with both servers on a new deployment, and takes everything down again. */
export async function withBothServers<T>(
  engine: Engine,
  clusterUrl: string | undefined,
  prepare: (deployment: Deployment) => Promise<unknown>,
  work: (deployment: Deployment, portico: ServerProcess, bare: ServerProcess) => Promise<T>,
): Promise<T> {
  const deployment = await makeDeployment(engine, clusterUrl)
  const servers: ServerProcess[] = []
  try {
    await prepare(deployment)
    const portico = await startPortico(deployment)
    servers.push(portico)
    const bare = await startBare(deployment)
    servers.push(bare)
    return await work(deployment, portico, bare)
  } finally {
    for (const server of servers) await server.stop()
    await deployment.remove()
  }
}

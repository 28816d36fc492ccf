import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { compareSchema } from '../database/migrate.ts'
import { ApiError } from '../protocol/errors.ts'

/** `/healthz` touches nothing; `/readyz` says whether requests would be answered. */
export function registerProbes(app: FastifyInstance, context: Context, isDraining: () => boolean): void {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
  app.get('/healthz', (_request, reply) => reply.headers(headers).send('{"status":"ok"}'))
  app.get('/readyz', async (_request, reply) => {
    const problem = isDraining() ? 'draining' : await databaseProblem(context)
    if (problem === undefined) return reply.headers(headers).send('{"status":"ready"}')
    throw new ApiError('service_unavailable', {
      message: 'The server is not ready to answer requests.',
      details: [{ location: 'state', name: 'readiness', code: problem, message: reasons[problem] }],
      headers: { 'retry-after': '2' },
    })
  })
}

const reasons = {
  draining: 'The server is stopping.',
  database_unreachable: 'The database cannot be reached.',
  migrations_pending: 'The database schema is older than this release. Run: portico migrate',
}

async function databaseProblem(context: Context): Promise<keyof typeof reasons | undefined> {
  try {
    await sql`select 1`.execute(context.database.read)
    return (await compareSchema(context.database)).missing.length > 0 ? 'migrations_pending' : undefined
  } catch (error) {
    context.log.warn({ err: error }, 'not ready: the database cannot be reached')
    return 'database_unreachable'
  }
}

import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { compareSchema } from '../database/migrate.ts'

/** `/healthz` touches nothing; `/readyz` says whether requests would be answered. */
export function registerProbes(app: FastifyInstance, context: Context, isDraining: () => boolean): void {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
  app.get('/healthz', (_request, reply) => reply.headers(headers).send('{"status":"ok"}'))
  app.get('/readyz', async (_request, reply) => {
    const problem = isDraining() ? 'draining' : await databaseProblem(context)
    if (problem === undefined) return reply.headers(headers).send('{"status":"ready"}')
    return reply
      .code(503)
      .headers({ ...headers, 'retry-after': '2' })
      .send(JSON.stringify({ status: 'not_ready', reason: problem }))
  })
}

async function databaseProblem(context: Context): Promise<string | undefined> {
  try {
    await sql`select 1`.execute(context.database.read)
    return (await compareSchema(context.database)).missing.length > 0 ? 'migrations_pending' : undefined
  } catch (error) {
    context.log.warn({ err: error }, 'not ready: the database cannot be reached')
    return 'database_unreachable'
  }
}

// A process says in the database which secret keys it has, and learns there which one seals. So a new key is used only when
// every process can open what it seals, and a process that has stopped is forgotten after a minute.
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { deployment } from '../background/jobs.ts'
import { day, isoTime, minute, second } from '../clock.ts'
import type { Context } from '../context.ts'
import type { Connection } from '../database/database.ts'
import { deploymentProblem } from '../deployment.ts'

/** Goes on until it is stopped. `findKeys` gives keys that have been added since the start. */
export async function holdKeys(context: Context, findKeys: () => Buffer[]): Promise<{ stop(): Promise<void> }> {
  const { database, vault, log } = context
  // In containers, host names and numbers of processes may be the same for all.
  const process_ = `${hostname()}:${process.pid}:${randomBytes(4).toString('hex')}`
  let told = ''
  let toldAt = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | undefined
  const look = async () => {
    vault.keys.learn(findKeys())
    const problem = await deploymentProblem(context)
    if (problem !== undefined) log.error(problem)
    const keys = JSON.stringify(vault.keys.known())
    if (keys === told && performance.now() - toldAt < tellEveryMs) return
    const row = { keys, seen_at: isoTime(context.clock.now()) }
    await database.transaction(async (tx) => {
      await tx
        .insertInto('secret_key_holders')
        .values({ portal_id: deployment, process: process_, ...row })
        .onConflict((conflict) => conflict.columns(['portal_id', 'process']).doUpdateSet(row))
        .execute()
      // Those that were killed have left theirs.
      await tx
        .deleteFrom('secret_key_holders')
        .where('portal_id', '=', deployment)
        .where('seen_at', '<', isoTime(context.clock.now() - day))
        .execute()
    })
    told = keys
    toldAt = performance.now()
  }
  const lookOnce = () => {
    looking ??= look()
      .catch((error) => log.warn({ err: error }, 'the secret keys could not be compared with the database'))
      .finally(() => {
        looking = undefined
      })
    return looking
  }
  await lookOnce()
  const timer = setInterval(lookOnce, lookEveryMs)
  return {
    async stop() {
      clearInterval(timer)
      await looking
      const mine = (db: Connection) =>
        db
          .deleteFrom('secret_key_holders')
          .where('portal_id', '=', deployment)
          .where('process', '=', process_)
          .execute()
      await database.transaction(mine).catch((error) => log.debug({ err: error }, 'the secret keys are still listed'))
    },
  }
}

/** Processes that run and have not got the key. */
export async function processesWithout({ database, clock }: Context, check: string): Promise<string[]> {
  const rows = await database.read
    .selectFrom('secret_key_holders')
    .select(['process', 'keys'])
    .where('portal_id', '=', deployment)
    .where('seen_at', '>', isoTime(clock.now() - forgottenAfterMs))
    .orderBy('process')
    .execute()
  return rows.filter(({ keys }) => !keys.includes(check)).map(({ process }) => process)
}

const lookEveryMs = 5 * second
const tellEveryMs = 20 * second
const forgottenAfterMs = minute

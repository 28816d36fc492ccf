// What several machines share besides the database: a bucket, and a Redis. With PORTICO_FAULTS_SPREAD=on every fault
// strikes a deployment that has both and, on PostgreSQL, two workers beside servers that do no background work.
import { freePort } from '../postgres-cluster.ts'
import { startRedis } from '../redis-server.ts'
import { type S3Account, type S3Server, startS3Server } from '../s3-server.ts'

/** The settings of a deployment that keeps its files in this bucket. */
export const bucketSettings = (store: S3Server, account: S3Account) => ({
  PORTICO_FILES_URL: `s3://${account.bucket}?endpoint=${encodeURIComponent(store.endpoint)}&region=${account.region}&path_style=true`,
  PORTICO_S3_ACCESS_KEY_ID: account.access_key_id,
  PORTICO_S3_SECRET_ACCESS_KEY: account.secret_access_key,
})

interface Spread {
  environment: Record<string, string>
  /** Where files are kept. */
  bucket: Record<string, string>
  close(): Promise<void>
}

export async function startSpread(): Promise<Spread | undefined> {
  if (process.env.PORTICO_FAULTS_SPREAD !== 'on') return undefined
  const account = { access_key_id: 'AKIDSPREAD', secret_access_key: 'secret', region: 'eu-central-1', bucket: 'files' }
  const [store, redis] = await Promise.all([startS3Server(account), startRedis(await freePort(), 'secret')])
  return {
    bucket: bucketSettings(store, account),
    environment: {
      PORTICO_REDIS_URL: `redis://:secret@127.0.0.1:${redis.port}`,
      // Counted like any other, but never refused.
      PORTICO_RATE_LIMITS: 'on',
      PORTICO_RATE_LIMIT_READ: '9999999/1',
      PORTICO_RATE_LIMIT_WRITE: '9999999/1',
      PORTICO_RATE_LIMIT_HEAVY: '9999999/1',
    },
    async close() {
      await redis.kill()
      await store.close()
    },
  }
}

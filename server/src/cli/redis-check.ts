import type { Config } from '../platform/config.ts'
import { rateBucketGreeting } from '../platform/redis/rate-bucket.ts'
import { openRedis } from '../platform/redis/redis-client.ts'

interface Answer {
  outcome: 'ok' | 'warning'
  message: string
}

/** Whether rates can be shared. If they cannot, the API works all the same. */
export function examineRedis(address: NonNullable<Config['redis']>): Promise<Answer> {
  return new Promise((resolve) => {
    const answer = (found: Answer) => {
      redis.close()
      resolve(found)
    }
    const redis = openRedis(address, {
      greeting: rateBucketGreeting,
      ready: () => answer({ outcome: 'ok', message: 'the server responds; processes share rate limits' }),
      lost: (error) =>
        answer({
          outcome: 'warning',
          message: `Redis cannot be used: ${error.message}. Each process counts rate limits separately. Check PORTICO_REDIS_URL and the Redis server.`,
        }),
    })
  })
}

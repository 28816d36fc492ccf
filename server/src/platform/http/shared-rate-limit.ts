// Rates that several processes count together. Redis has the bucket of each key; a process takes tokens out of it a few
// at a time and spends them without asking again, so that most requests wait for nobody. What it does not spend it gives
// back. While Redis is away, slow or makes no sense, each process counts by itself.
import { Counter, Gauge, type Registry } from 'prom-client'
import type { RateClass, RateLimit } from '../config.ts'
import type { Context } from '../context.ts'
import { rateBucketGreeting, rateBucketScript } from '../redis/rate-bucket.ts'
import { openRedis } from '../redis/redis-client.ts'
import type { RedisAddress } from '../redis/redis-url.ts'
import { createMemoryRateLimiter, type RateDecision, type RateLimiter } from './rate-limit.ts'

interface Lease {
  bucket: string
  limit: RateLimit
  /** Taken out of the bucket, and not spent yet. */
  tokens: number
  /** What was left in the bucket, and when that was known. */
  left: number
  at: number
  asking: Promise<void> | undefined
}

interface SharedRateLimiter extends RateLimiter {
  close(): Promise<void>
}

export function createSharedRateLimiter(
  context: Pick<Context, 'log' | 'clock' | 'config'>,
  address: RedisAddress,
  registry: Registry,
): SharedRateLimiter {
  const { log, clock, config } = context
  const local = createMemoryRateLimiter(clock)
  const leases = new Map<string, Lease>()
  const metrics = addMetrics(registry, () => redis.isReady)
  const redis = openRedis(address, {
    greeting: rateBucketGreeting,
    ready: () => log.info('rate limits are shared through Redis'),
    lost: (error) =>
      log.warn({ reason: error.message }, 'Redis cannot be used: rate limits are counted separately in each process'),
  })

  const askRedis = async (lease: Lease, asked: number): Promise<void> => {
    const { quota, window_seconds } = lease.limit
    const reply = await redis.send(
      ...['EVAL', rateBucketScript, '1', lease.bucket],
      ...[quota, window_seconds, asked].map(String),
    )
    const [granted, left] = Array.isArray(reply) ? reply : []
    if (typeof granted !== 'number' || granted < 0 || granted > Math.max(0, asked) || !(Number(left) >= 0))
      throw new Error('its answer makes no sense')
    lease.tokens += granted
    lease.left = Math.min(quota, Number(left))
    lease.at = performance.now()
  }

  /** One question at a time for each bucket. Whoever cannot have an answer soon learns that Redis is away. */
  const refill = (lease: Lease): Promise<void> => {
    lease.asking ??= inTime(askRedis(lease, portionOf(lease.limit)))
      .catch((error) => redis.giveUp(error))
      .finally(() => {
        lease.asking = undefined
      })
    return lease.asking
  }

  const leaseOf = (bucket: string, limit: RateLimit): Lease => {
    let lease = leases.get(bucket)
    if (!lease) {
      if (leases.size >= mostLeases) leases.clear()
      lease = { bucket, limit, tokens: 0, left: limit.quota, at: -Infinity, asking: undefined }
      leases.set(bucket, lease)
    }
    lease.limit = limit
    return lease
  }

  const spend = (lease: Lease): RateDecision | undefined => {
    if (lease.tokens >= 1) {
      lease.tokens--
      if (lease.tokens < portionOf(lease.limit) / 2 && filledTo(lease) >= 1) refill(lease)
      return decisionOf(lease, true)
    }
    // What is known to be empty is not asked again before there can be something in it.
    return filledTo(lease) < 1 ? decisionOf(lease, false) : undefined
  }

  const countLocally = (keyId: string, rateClass: RateClass, limit: RateLimit) => {
    metrics.countedLocally()
    return local.take(keyId, rateClass, limit)
  }

  const takeShared = async (lease: Lease): Promise<RateDecision | undefined> => {
    // Others may have been quicker to spend what was fetched.
    for (let attempt = 0; attempt < mostAttempts && redis.isReady; attempt++) {
      await refill(lease)
      const decision = redis.isReady ? spend(lease) : undefined
      if (decision) return decision
    }
    return undefined
  }

  /** What nobody has spent for a while goes back, for the other processes. */
  const giveBack = async (minimumAgeMs: number): Promise<void> => {
    const oldest = performance.now() - minimumAgeMs
    const returned: Promise<void>[] = []
    for (const lease of leases.values()) {
      if (lease.asking || lease.at > oldest) continue
      leases.delete(lease.bucket)
      if (lease.tokens > 0 && redis.isReady) returned.push(askRedis(lease, -lease.tokens))
    }
    await inTime(Promise.all(returned)).catch((error) => redis.giveUp(error))
  }
  const giving = setInterval(giveBack, giveBackMs / 2, giveBackMs).unref()

  return {
    take(keyId, rateClass, limit) {
      if (!redis.isReady) return countLocally(keyId, rateClass, limit)
      const lease = leaseOf(`portico:${config.environment}:rate:${keyId}:${rateClass}`, limit)
      return spend(lease) ?? takeShared(lease).then((decision) => decision ?? countLocally(keyId, rateClass, limit))
    },
    async close() {
      clearInterval(giving)
      await giveBack(0)
      redis.close()
    },
  }
}

/** A fiftieth of the quota: few journeys for a busy key, little lost sight of for the others. */
function portionOf({ quota }: RateLimit): number {
  return Math.ceil(quota / 50)
}

/** What must be in the bucket by now, at the least if nobody else took anything. */
function filledTo({ left, at, limit }: Lease): number {
  const { quota, window_seconds } = limit
  return Math.min(quota, left + ((performance.now() - at) / 1000) * (quota / window_seconds))
}

function decisionOf(lease: Lease, isAllowed: boolean): RateDecision {
  const { quota, window_seconds } = lease.limit
  const perSecond = quota / window_seconds
  const filled = filledTo(lease)
  const remaining = Math.min(quota, filled + lease.tokens)
  return {
    isAllowed,
    remaining: Math.floor(remaining),
    reset_seconds: Math.ceil((quota - remaining) / perSecond),
    retry_seconds: Math.max(1, Math.ceil((1 - filled) / perSecond)),
  }
}

/** Rejects when an answer takes too long. One that has come while this process was busy is read first. */
function inTime<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(() => reject(new Error('no answer in time'))), patienceMs)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function addMetrics(registry: Registry, isShared: () => boolean) {
  new Gauge({
    name: 'portico_rate_limits_shared',
    help: '1 while rate limits are shared through Redis, 0 while each process counts separately.',
    registers: [registry],
    collect() {
      this.set(isShared() ? 1 : 0)
    },
  })
  const local = new Counter({
    name: 'portico_rate_limits_counted_locally_total',
    help: 'Requests whose rate was counted in this process alone because Redis could not be used.',
    registers: [registry],
  })
  return { countedLocally: () => local.inc() }
}

const patienceMs = 15
const giveBackMs = 1000
const mostAttempts = 5
/** A lease forgotten is a few tokens lost until the bucket fills up again. */
const mostLeases = 100_000

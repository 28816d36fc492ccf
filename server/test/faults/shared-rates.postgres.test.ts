// Rates that two servers count together in a Redis, and what becomes of them when Redis is stalled or killed.
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type RunningServer, runJson } from '../built-program.ts'
import { freePort } from '../postgres-cluster.ts'
import { cleanUp, makeCertificate } from '../real-servers.ts'
import { describeWithRedis, type RedisServer, startRedis } from '../redis-server.ts'
import { type Deployment, newDeployment, report } from './deployment.ts'
import { createLoadClient, type Reply } from './load-client.ts'
import { faultTimeoutMs } from './scale.ts'

const quota = 60
const windowSeconds = 60

describeWithRedis('rates shared through Redis', () => {
  let deployment: Deployment
  let redis: RedisServer
  let environment: Record<string, string>
  let servers: (RunningServer & { metricsPort: number })[]

  beforeAll(async () => {
    deployment = await newDeployment({ keyCount: 4 })
    redis = await startRedis(await freePort(), 'pass word')
    environment = {
      PORTICO_RATE_LIMITS: 'on',
      PORTICO_RATE_LIMIT_READ: `${quota}/${windowSeconds}`,
      PORTICO_REDIS_URL: `redis://:pass%20word@127.0.0.1:${redis.port}/3`,
    }
    servers = await Promise.all([start(environment), start(environment)])
    await Promise.all(servers.map((server) => untilShared(server, 1)))
  })
  afterAll(async () => {
    redis.signal('SIGCONT')
    await redis.kill()
    await deployment.remove()
    await cleanUp()
  })

  const start = async (more: Record<string, string>) => {
    const metricsPort = await freePort()
    const server = await deployment.start({ environment: { ...more, PORTICO_METRICS_PORT: String(metricsPort) } })
    return { ...server, metricsPort }
  }
  const metric = async ({ metricsPort }: { metricsPort: number }, name: string): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  }
  const untilShared = (server: { metricsPort: number }, value: number) =>
    vi.waitFor(async () => expect(await metric(server, 'portico_rate_limits_shared')).toBe(value), {
      ...{ timeout: 30_000, interval: 50 },
    })
  const countedLocally = async () => {
    let sum = 0
    for (const server of servers) sum += await metric(server, 'portico_rate_limits_counted_locally_total')
    return sum
  }
  /** All at once, so many to each server. */
  const sendTo = async (targets: readonly RunningServer[], key: string, count: number): Promise<Reply[]> => {
    const clients = targets.map(({ origin }) => createLoadClient(origin, { key, sockets: 10 }))
    const replies = await Promise.all(
      clients.flatMap((client) =>
        Array.from({ length: count }, () => client.send({ method: 'GET', path: '/v1/lead-sources/' })),
      ),
    )
    for (const client of clients) client.close()
    return replies
  }
  const countOf = (replies: readonly Reply[], status: number) => replies.filter((one) => one.status === status).length

  test('two servers give one quota between them, and whoever is refused learns when to come back', {
    timeout: faultTimeoutMs,
  }, async () => {
    const key = deployment.keys[0]?.key ?? ''
    const [before, begin] = [await countedLocally(), performance.now()]
    const replies = await sendTo(servers, key, quota)
    const seconds = (performance.now() - begin) / 1000
    const local = (await countedLocally()) - before
    const refilled = Math.ceil((seconds * quota) / windowSeconds)
    expect(countOf(replies, 200) + countOf(replies, 429)).toBe(2 * quota)
    expect(countOf(replies, 200)).toBeGreaterThanOrEqual(quota - 2)
    expect(countOf(replies, 200)).toBeLessThanOrEqual(quota + refilled + local)
    for (const { status, headers } of replies) {
      if (status === 429) expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)
      expect(headers.ratelimit).toMatch(/^"read";r=\d+;t=\d+$/)
    }
    report('shared rates', { allowed: countOf(replies, 200), of: replies.length, 'counted locally': local })
    // One token a second: on the server that has none, too.
    const other = servers[1] ?? servers[0]
    if (!other) throw new Error('a server is missing')
    await expect
      .poll(async () => (await sendTo([other], key, 1))[0]?.status, { timeout: 20_000, interval: 200 })
      .toBe(200)
  })

  test('a key that is revoked is refused, whatever it may still send', { timeout: faultTimeoutMs }, async () => {
    const { id, key } = deployment.keys[1] ?? { id: '', key: '' }
    expect(countOf(await sendTo(servers, key, 5), 200)).toBe(10)
    await runJson(['key', 'revoke', id], deployment.environment)
    await expect.poll(async () => countOf(await sendTo(servers, key, 1), 401), { timeout: 5000, interval: 100 }).toBe(2)
  })

  test('a Redis with TLS is used if its certificate is trusted, by its name or its address', {
    timeout: faultTimeoutMs,
  }, async () => {
    const files = makeCertificate('DNS:localhost,IP:127.0.0.1')
    const secured = await startRedis(await freePort(), 'secret', files)
    const examine = async (host: string, more: Record<string, string>) => {
      const url = `rediss://:secret@${host}:${secured.port}`
      const { findings } = await runJson(['doctor'], { ...deployment.environment, ...more, PORTICO_REDIS_URL: url })
      return findings.find(({ check }: { check: string }) => check === 'Redis')
    }
    const trust = { NODE_EXTRA_CA_CERTS: files.certificateFile }
    expect(await examine('localhost', trust)).toMatchObject({ outcome: 'ok' })
    expect(await examine('127.0.0.1', trust)).toMatchObject({ outcome: 'ok' })
    expect(await examine('localhost', {})).toMatchObject({
      outcome: 'warning',
      message: expect.stringContaining('self-signed certificate'),
    })
    await secured.kill()
  })

  test('while Redis is stalled or gone, each server counts by itself and says so; afterwards they share again', {
    timeout: faultTimeoutMs,
  }, async () => {
    const [stalledKey, goneKey] = [deployment.keys[2]?.key ?? '', deployment.keys[3]?.key ?? '']
    redis.signal('SIGSTOP')
    const stalled = await sendTo(servers, stalledKey, quota)
    expect(countOf(stalled, 200)).toBeGreaterThanOrEqual(2 * quota - 4)
    for (const server of servers) {
      await untilShared(server, 0)
      await expect.poll(() => server.output()).toContain('rate limits are counted separately in each process')
    }
    redis.signal('SIGCONT')
    for (const server of servers) await untilShared(server, 1)

    await redis.kill()
    for (const server of servers) await untilShared(server, 0)
    expect(countOf(await sendTo(servers, goneKey, quota), 200)).toBe(2 * quota)
    const { findings } = await runJson(['doctor'], { ...deployment.environment, ...environment })
    expect(findings).toContainEqual({
      check: 'Redis',
      outcome: 'warning',
      message: expect.stringContaining('Each process counts rate limits separately.'),
    })
    await redis.restart()
    for (const server of servers) await untilShared(server, 1)
  })
})

import { createServer, type Socket } from 'node:net'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { createLogger } from '../logging.ts'
import { createSharedRateLimiter } from './shared-rate-limit.ts'

const limit = { quota: 2, window_seconds: 1000 }
const config = readConfig({})
/** The answer to the greeting of a Redis that can do what is asked. */
const greeting = '*2\r\n:0\r\n$1\r\n1\r\n'

/** A limiter on something that answers like this, first to the greeting and then to every further command. */
async function limiterOn(answers: readonly [string, string]) {
  const sockets = new Set<Socket>()
  const connectedAt: number[] = []
  let questions = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    connectedAt.push(performance.now())
    let asked = 0
    socket.on('error', () => undefined)
    socket.on('data', () => {
      const isGreeting = asked++ === 0
      if (!isGreeting) questions++
      socket.write(answers[isGreeting ? 0 : 1])
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const lines: string[] = []
  const registry = new Registry()
  const limiter = createSharedRateLimiter(
    {
      config,
      clock: { now: () => 0, wall: () => 0, expiry: () => 0, isDoubted: () => false },
      log: createLogger(config, (line) => lines.push(line)),
    },
    { host: '127.0.0.1', port: address.port, isTls: false, username: undefined, password: undefined, database: 0 },
    registry,
  )
  const metric = async (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await registry.metrics())?.[1])
  return {
    limiter,
    lines,
    metric,
    connectedAt,
    questions: () => questions,
    async close() {
      await limiter.close()
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

test.each([
  ['more tokens than were asked for', '*2\r\n:1000000\r\n$1\r\n5\r\n'],
  ['less than nothing', '*2\r\n:-5\r\n$1\r\n5\r\n'],
  ['a number that is none', '*2\r\n:1\r\n$3\r\nNaN\r\n'],
  ['something else', '+OK\r\n'],
  ['an error', '-READONLY You cannot write against a read only replica.\r\n'],
  ['a text without end', '$99999999999\r\n'],
  ['nonsense', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
  ['too many answers', `${greeting}${greeting}`],
  ['nothing', ''],
])('a Redis that answers with %s is not believed: the rate is counted here, and the log says so', async (_, lie) => {
  const { limiter, lines, metric, close } = await limiterOn([greeting, lie])
  await expect.poll(() => metric('portico_rate_limits_shared')).toBe(1)
  const decisions = []
  for (let i = 0; i < 3; i++) decisions.push(await limiter.take('key_1', 'read', limit))
  expect(decisions.map(({ isAllowed }) => isAllowed)).toEqual([true, true, false])
  expect(await metric('portico_rate_limits_counted_locally_total')).toBe(3)
  expect(lines.filter((line) => line.includes('counted separately'))).toHaveLength(1)
  await close()
})

test('a Redis that refuses the greeting is never used', async () => {
  const { limiter, lines, metric, close } = await limiterOn(['-NOAUTH Authentication required.\r\n', greeting])
  await expect.poll(() => lines.join()).toContain('NOAUTH')
  expect(limiter.take('key_1', 'read', limit)).toMatchObject({ isAllowed: true, remaining: 1 })
  expect(await metric('portico_rate_limits_shared')).toBe(0)
  await close()
})

test('a Redis that refuses the greeting is asked less and less often', async () => {
  const { connectedAt, close } = await limiterOn(['-WRONGPASS invalid username-password pair.\r\n', greeting])
  await expect.poll(() => connectedAt.length).toBeGreaterThanOrEqual(4)
  const [first = 0, second = 0, third = 0, fourth = 0] = connectedAt
  // On a busy machine each is longer, and none is shorter.
  expect(second - first).toBeGreaterThan(400)
  expect(third - second).toBeGreaterThan(900)
  expect(fourth - third).toBeGreaterThan(1900)
  await close()
})

test('a request asks Redis at most five times, and is then counted here', async () => {
  // Nothing is granted, although there is something left: others were quicker, each time.
  const { limiter, metric, questions, close } = await limiterOn([greeting, '*2\r\n:0\r\n$1\r\n2\r\n'])
  await expect.poll(() => metric('portico_rate_limits_shared')).toBe(1)
  expect(await limiter.take('key_1', 'read', limit)).toMatchObject({ isAllowed: true, remaining: 1 })
  expect(await metric('portico_rate_limits_counted_locally_total')).toBe(1)
  expect(questions()).toBeLessThanOrEqual(5)
  await close()
})

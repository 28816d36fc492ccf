// R12. A key is revoked from the command line while it is in use on every server there is.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningServer, runJson } from '../built-program.ts'
import { type Deployment, newDeployment, report } from './deployment.ts'
import { codeOf, createLoadClient } from './load-client.ts'
import { faultTimeoutMs, scale } from './scale.ts'

let deployment: Deployment
let servers: RunningServer[]

beforeAll(async () => {
  deployment = await newDeployment({ keyCount: scale.revocations })
  servers = await deployment.startAll()
})
afterAll(() => deployment.remove())

test('401 api_key_revoked on every server from one second after the revoke command has returned', {
  timeout: faultTimeoutMs,
}, async () => {
  let lateRequests = 0
  let longestMs = 0
  for (const { id, key } of deployment.keys) {
    const users = servers.flatMap((server) => Array.from({ length: usersPerServer }, (_, n) => useKey(server, key, n)))
    await Promise.all(users.map((user) => user.hasBeenAccepted))
    await runJson(['key', 'revoke', id], deployment.environment)
    const revokedAt = performance.now()
    await Promise.all(users.map((user) => user.untilSentAfter(revokedAt + graceMs)))
    for (const user of users) {
      const requests = await user.finish()
      const accepted = requests.filter(({ status }) => status < 400)
      const others = requests.filter(({ status, code }) => status >= 400 && code !== 'api_key_revoked')
      expect(others).toEqual([])
      expect(accepted.length).toBeGreaterThan(0)
      expect(accepted.filter(({ sentAt }) => sentAt > revokedAt + graceMs)).toEqual([])
      lateRequests += requests.filter(({ sentAt }) => sentAt > revokedAt + graceMs).length
      longestMs = Math.max(longestMs, ...accepted.map(({ sentAt }) => sentAt - revokedAt))
    }
  }
  report('R12 revoked key', {
    processes: servers.length,
    revocations: scale.revocations,
    'requests after one second': lateRequests,
    'longest ms accepted': Math.round(longestMs),
  })
})

interface Use {
  sentAt: number
  status: number
  code: string | undefined
}

/** Sends one request after another with the key, reads and writes in turn. */
function useKey(server: RunningServer, key: string, user: number) {
  const client = createLoadClient(server.origin, { key, sockets: 1 })
  const requests: Use[] = []
  let isStopping = false
  const waiting: { isMet(): boolean; resolve(): void }[] = []
  const until = (isMet: () => boolean) => new Promise<void>((resolve) => waiting.push({ isMet, resolve }))

  const loop = async () => {
    for (let n = user; !isStopping; n++) {
      const sentAt = performance.now()
      const write = { method: 'POST', headers: { 'idempotency-key': randomUUID() }, body: deployment.business() }
      const reply = await client.send({ path: '/v1/businesses/', ...(n % 2 === 0 ? write : { method: 'GET' }) })
      requests.push({ sentAt, status: reply.status, code: reply.status < 400 ? undefined : codeOf(reply) })
      for (const { isMet, resolve } of waiting) if (isMet()) resolve()
    }
    client.close()
  }
  const ended = loop()
  const orEnded = (condition: Promise<void>) => Promise.race([condition, ended])
  return {
    hasBeenAccepted: orEnded(until(() => requests.length >= 4)),
    /** Enough of them to be sure that the key is refused for good. */
    untilSentAfter: (time: number) =>
      orEnded(until(() => requests.filter(({ sentAt }) => sentAt > time).length >= requestsAfterwards)),
    async finish(): Promise<Use[]> {
      isStopping = true
      await ended
      return requests
    },
  }
}

const usersPerServer = 2
const graceMs = 1000
const requestsAfterwards = 50

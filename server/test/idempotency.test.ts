import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Answer } from './client.ts'
import { newPortal, startTestServer, type TestServer } from './harness.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

test('for any sequence of requests over a few keys: one execution per key, the same answer for the same request, 422 for another', async () => {
  const step = fc.record({ key: fc.nat(3), body: fc.constantFrom('a', 'b', 'bad', 'taken') })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 15 }), fc.boolean(), async (steps, atOnce) => {
      const portal = await newPortal(server)
      await portal.call('POST', 'businesses/', { body: portal.business({ external_reference: 'taken' }) })
      const bodies: Record<string, Record<string, unknown>> = {
        a: portal.business({ legal_name: 'A' }),
        b: portal.business({ legal_name: 'B' }),
        bad: { legal_name: 'no country' },
        taken: portal.business({ external_reference: 'taken' }),
      }
      const send = ({ key, body }: (typeof steps)[number]) =>
        portal.call('POST', 'businesses/', {
          body: bodies[body],
          headers: { 'idempotency-key': `key-${key}-${portal.id}` },
        })
      const answers = atOnce ? await Promise.all(steps.map(send)) : []
      if (!atOnce) for (const one of steps) answers.push(await send(one))

      /** What was carried out under each key: in turn the first request that could be, at once whichever came first. */
      const winners = new Map<number, { body: string; text: string; status: number }>()
      for (const [index, { key, body }] of steps.entries()) {
        const answer = answers[index]
        if (!answer) throw new Error('an answer is missing')
        if (winners.has(key) || body === 'bad' || notCarriedOut.includes(answer.body.code)) continue
        winners.set(key, { body, text: withoutRequestId(answer), status: answer.status })
      }
      const seen = new Set<number>()
      for (const [index, { key, body }] of steps.entries()) {
        const answer = answers[index]
        const winner = winners.get(key)
        if (body === 'bad') expect(answer?.body.code).toBe('validation_failed')
        else if (answer?.body.code === 'idempotency_key_in_use') expect(atOnce).toBe(true)
        else if (body === winner?.body) {
          expect(withoutRequestId(answer)).toBe(winner.text)
          expect(answer?.status).toBe(body === 'taken' ? 409 : 201)
        } else {
          expect([answer?.status, answer?.body.code]).toEqual([422, 'idempotency_key_reused'])
          expect(answer?.body.details[0].meta).toEqual({ differs: ['body'] })
        }
        // In turn, the first request that can be carried out is the one that is.
        if (!atOnce && body !== 'bad' && !seen.has(key)) expect(winner?.body).toBe(body)
        if (body !== 'bad') seen.add(key)
      }
      expect([...winners.keys()].sort()).toEqual([...seen].sort())
      const { items } = (await portal.call('GET', 'businesses/?page_size=100')).body
      const executed = [...winners.values()].filter(({ status }) => status === 201).length
      expect(items).toHaveLength(1 + executed)
    }),
    { numRuns: 15 },
  )
})

const notCarriedOut = ['idempotency_key_in_use', 'idempotency_key_reused']

function withoutRequestId(answer: Answer | undefined): string {
  return answer?.text.replaceAll(answer.body.request_id ?? '-', '') ?? ''
}

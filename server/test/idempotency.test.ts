import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newPortal, startTestServer, type TestServer } from './harness.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ PORTICO_RATE_LIMITS: 'off' })
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

      const firstFor = new Map<string, { body: string; text: string; status: number }>()
      for (const [index, { key, body }] of steps.entries()) {
        const answer = answers[index]
        if (!answer) throw new Error('an answer is missing')
        if (body === 'bad') {
          expect(answer.body.code).toBe('validation_failed')
          continue
        }
        if (answer.body.code === 'idempotency_key_in_use') {
          expect(atOnce).toBe(true)
          continue
        }
        if (answer.body.code === 'idempotency_key_reused') continue
        expect(answer.status).toBe(body === 'taken' ? 409 : 201)
        const first = firstFor.get(`key-${key}`)
        const text = answer.text.replaceAll(answer.body.request_id ?? '-', '')
        if (first) expect([first.body, first.text]).toEqual([body, text])
        else firstFor.set(`key-${key}`, { body, text, status: answer.status })
      }
      const { items } = (await portal.call('GET', 'businesses/?page_size=100')).body
      const executed = [...firstFor.values()].filter(({ status }) => status === 201).length
      expect(items).toHaveLength(1 + executed)
    }),
    { numRuns: 15 },
  )
})

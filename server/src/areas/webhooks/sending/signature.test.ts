import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { newSecret } from '../endpoints/secrets.ts'
import { signatureHeaders } from './signature.ts'

const message = {
  id: 'evt_1',
  seconds: Math.floor(Date.now() / 1000),
  body: JSON.stringify({ type: 'deal.won', ä: '✓' }),
}

test('the official library accepts what either of two secrets signed, and nothing that was changed', () => {
  const [current, previous, other] = [newSecret(), newSecret(), newSecret()]
  const headers = signatureHeaders([current, previous], message)
  for (const secret of [current, previous])
    expect(new Webhook(secret).verify(message.body, headers)).toEqual(JSON.parse(message.body))
  expect(() => new Webhook(other).verify(message.body, headers)).toThrow()
  expect(() => new Webhook(current).verify(`${message.body} `, headers)).toThrow()
  expect(() => new Webhook(current).verify(message.body, { ...headers, 'webhook-id': 'evt_2' })).toThrow()
})

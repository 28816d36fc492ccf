import { expect, test } from 'vitest'
import { forgetAll, remembered } from './remembered.ts'

test('the same is worked out once, until everything is forgotten', () => {
  const asked: string[] = []
  const lengthOf = remembered((text) => asked.push(text) && (text.length > 3 ? text.length : undefined))
  const answers = ['bread', 'tea', 'bread', 'tea'].map(lengthOf)
  expect(answers).toEqual([5, undefined, 5, undefined])
  expect(asked).toEqual(['bread', 'tea'])
  forgetAll()
  lengthOf('bread')
  expect(asked).toEqual(['bread', 'tea', 'bread'])
})

test('what it keeps does not grow with what it is asked', () => {
  const asked: string[] = []
  const ask = remembered((text) => asked.push(text))
  for (let at = 0; at < 25_000; at++) ask(String(at))
  ask('24999')
  expect(asked).toHaveLength(25_000)
  // Forgotten when there were too many.
  ask('0')
  expect(asked).toHaveLength(25_001)
})

import { expect, test } from 'vitest'
import { tickedIn } from './choices.ts'

test.each([
  ['☐ Sole trader ☒ Limited company ☐ LLP', 'Limited company'],
  ['Sole trader ☐ Limited company ☒ LLP ☐', 'Limited company'],
  ['☒ Sole trader ☒ Limited company', undefined],
  ['☐ Sole trader ☐ Limited company', undefined],
])('%s', (text, choice) => {
  expect(tickedIn(text)).toBe(choice)
})

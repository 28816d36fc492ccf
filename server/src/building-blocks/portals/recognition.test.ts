import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRecognition } from './recognition.ts'

test('a key is known again by its whole text and nothing less, until it is forgotten', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^ptk_stg_[A-Za-z0-9]{38}$/), fc.nat({ max: 45 }), (text, place) => {
      const recognition = createRecognition()
      recognition.remember(text, 'ptl_1')
      expect(recognition.portalOf(text)).toBe('ptl_1')
      const other = text.slice(0, place) + (text[place] === 'x' ? 'y' : 'x') + text.slice(place + 1)
      expect(recognition.portalOf(other)).toBeUndefined()
      expect(recognition.portalOf(text.slice(0, -1))).toBeUndefined()
      recognition.forget(text)
      expect(recognition.portalOf(text)).toBeUndefined()
    }),
  )
})

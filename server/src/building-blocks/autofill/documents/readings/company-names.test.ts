import { describe, expect, test } from 'vitest'
import { isFullerName, isSameName, isWholeName } from './company-names.ts'

describe('names of companies', () => {
  test.each([
    ['Müller & Söhne GmbH', 'MUELLER UND SOEHNE'],
    ["Pell's Bakery Ltd", 'Pells Bakery Limited'],
    ['Lee & Sons (Bakers) Ltd.', 'LEE AND SONS BAKERS LIMITED'],
  ])('%s is %s', (a, b) => {
    expect(isSameName(a, b)).toBe(true)
  })

  test.each([
    ['Greenline Couriers (Midlands) Ltd', 'Greenline Couriers'],
    ['PINTURAS Y DECORACIÓN BENLLOCH SLU', 'Pinturas Benlloch SL'],
    ['Banksia Physiotherapy Pty Ltd', 'Banksia Physio'],
  ])('%s is the full name of %s', (full, short) => {
    expect(isFullerName(full, short)).toBe(true)
  })

  test.each([
    ['Castle Hill Dairies (Wales) Ltd', 'Castle Hill Dairy Ltd'],
    ['Lee Bakery Holdings Ltd', 'Lee Bakery'],
    ['Lee Bakery Transport GmbH', 'Lee Bakery AG'],
    ['Lee Transport Ltd', 'Lee'],
  ])('%s is not %s', (full, short) => {
    expect(isFullerName(full, short)).toBe(false)
  })

  test.each<[string, boolean]>([
    ['Nordwind Segelmacher GmbH', true],
    ['Nordwind Segelmacher GmbH, Kiel', false],
    ['Enquirer: Nordwind Segelmacher GmbH', false],
  ])('%s is a name and nothing else: %s', (text, isName) => {
    expect(isWholeName(text)).toBe(isName)
  })
})

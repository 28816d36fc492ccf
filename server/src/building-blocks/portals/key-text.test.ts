import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { environmentOfKey, newKeyText } from './key-text.ts'
import { allGrants, expandGrants } from './resources.ts'

describe('key texts', () => {
  test('a new key has the prefix of its environment and passes its own check', () => {
    expect(newKeyText('staging')).toMatch(/^ptk_stg_[0-9A-Za-z]{38}$/)
    expect(environmentOfKey(newKeyText('staging'))).toBe('staging')
    expect(environmentOfKey(newKeyText('production'))).toBe('production')
    expect(new Set(Array.from({ length: 500 }, () => newKeyText('staging'))).size).toBe(500)
  })

  test('any single change of a key is noticed without a query', () => {
    const key = newKeyText('staging')
    fc.assert(
      fc.property(fc.nat(key.length - 1), fc.constantFrom(...'0Aaz_!'), (index, letter) => {
        fc.pre(key[index] !== letter)
        expect(environmentOfKey(key.slice(0, index) + letter + key.slice(index + 1))).toBeUndefined()
      }),
    )
    expect([environmentOfKey(''), environmentOfKey(`${key}x`), environmentOfKey(key.slice(1))]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('grants', () => {
  test('words become grants, unknown ones are named', () => {
    expect(expandGrants(['all']).grants).toEqual(allGrants)
    expect(expandGrants(['businesses']).grants).toEqual(['businesses:read', 'businesses:write'])
    expect(expandGrants(['webhooks:read', 'businesses:read']).grants).toEqual(['businesses:read', 'webhooks:read'])
    expect(expandGrants(['business', 'deals:fly']).unknown).toEqual(['business', 'deals:fly'])
  })
})

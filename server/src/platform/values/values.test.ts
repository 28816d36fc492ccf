// Pure values: ids, money, keys made of text, secrets, settings.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig, unknownVariables } from '../config.ts'
import { redactSecrets } from '../logging.ts'
import { createVault } from '../vault.ts'
import { idPattern, newId } from './ids.ts'
import { fromMinorUnits, toMinorUnits } from './money.ts'
import { companyNameKey, sortKey, wordsOf } from './text-keys.ts'
import { isTimeZone } from './times.ts'

describe('ids', () => {
  test('ids fit their pattern, are never the same and sort in the order they were made', () => {
    const ids = Array.from({ length: 2000 }, () => newId('biz'))
    expect(ids.every((id) => new RegExp(idPattern('biz')).test(id))).toBe(true)
    expect(new Set(ids).size).toBe(ids.length)
    expect([...ids].sort()).toEqual(ids)
  })
})

describe('time zones', () => {
  test.each(['UTC', 'GMT', 'Europe/Berlin', 'Asia/Kolkata', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])(
    '%s is one',
    (name) => expect(isTimeZone(name)).toBe(true),
  )
  test.each(['', 'utc', 'europe/berlin', '+01:00', 'Mars/Base', 'Berlin', 'Europe/Berlin ', 'A'.repeat(1000)])(
    '%j is none',
    (name) => expect(isTimeZone(name)).toBe(false),
  )
})

describe('money', () => {
  test('any amount a currency can hold comes back as it was', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -9_007_199_254_740_991, max: 9_007_199_254_740_991 }),
        fc.constantFrom('USD', 'JPY', 'KWD', 'EUR'),
        (units, currency) => {
          expect(toMinorUnits(fromMinorUnits(units, currency))).toBe(units)
        },
      ),
    )
  })

  test.each([
    ['25000.00', 'USD', 2_500_000],
    ['25000', 'USD', 2_500_000],
    ['0.5', 'USD', 50],
    ['-1.25', 'USD', -125],
    ['100', 'JPY', 100],
    ['1.234', 'KWD', 1234],
    ['1.234', 'USD', undefined],
    ['1.5', 'JPY', undefined],
    ['999999999999999.99', 'USD', undefined],
    ['1.00', 'HUF', 100],
    ['1.001', 'IQD', 1001],
    ['1.0001', 'CLF', 10_001],
  ])('%s %s is %s minor units', (amount, currency, units) => {
    expect(toMinorUnits({ amount, currency })).toBe(units)
  })
})

describe('keys made of text', () => {
  test.each([
    ['Lee Bakery LLC', 'LEE BAKERY, L.L.C.'],
    ['The Lee Bakery', 'Lee Bakery Inc.'],
    ['Müller & Söhne GmbH', 'Muller and Sohne'],
  ])('%s and %s are one name', (a, b) => {
    expect(companyNameKey(a)).toBe(companyNameKey(b))
  })

  test('a name of legal forms alone is still a name', () => {
    expect(companyNameKey('The Company Ltd')).not.toBe('')
  })

  test('words are folded, kept once and bounded, and never cut in the middle of a character', () => {
    expect(wordsOf('Crêperie  crêperie-Bélanger')).toEqual(['creperie', 'belanger'])
    expect(wordsOf(null)).toEqual([])
    expect(wordsOf('x'.repeat(100))).toEqual(['x'.repeat(40)])
    expect(wordsOf(Array.from({ length: 100 }, (_, i) => `w${i}`).join(' '), 30)).toHaveLength(30)
    const astral = `${'a'.repeat(39)}\u{10330}b ${'a'.repeat(39)}\u{10331}b`
    expect(wordsOf(astral)).toEqual([`${'a'.repeat(39)}\u{10330}`, `${'a'.repeat(39)}\u{10331}`])
    expect(sortKey('  Été   Shop ')).toBe('ete shop')
    expect([companyNameKey('★★'), companyNameKey('')]).toEqual([null, null])
  })
})

describe('the vault', () => {
  const vault = createVault(Buffer.alloc(32, 1))

  test('any text opens again, only for its purpose, its binding and its key', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, boundTo) => {
        const sealed = vault.seal('tax_id', text, boundTo)
        expect(vault.open('tax_id', sealed, boundTo)).toBe(text)
        expect(vault.open('cursor', sealed, boundTo)).toBeUndefined()
        expect(vault.open('tax_id', sealed, `${boundTo}x`)).toBeUndefined()
        expect(createVault(Buffer.alloc(32, 2)).open('tax_id', sealed, boundTo)).toBeUndefined()
      }),
    )
  })

  test('any change of a sealed text is noticed', () => {
    const sealed = vault.seal('cursor', 'position', 'scope')
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.constantFrom(...'ABcd01-_='), (index, letter) => {
        fc.pre(sealed[index] !== letter)
        expect(vault.open('cursor', sealed.slice(0, index) + letter + sealed.slice(index + 1), 'scope')).toBeUndefined()
      }),
    )
    expect(vault.open('cursor', '', 'scope')).toBeUndefined()
  })

  test('the same text is never sealed the same way twice', () => {
    expect(new Set(Array.from({ length: 1000 }, () => vault.seal('cursor', 'x', 'y'))).size).toBe(1000)
  })
})

describe('settings', () => {
  const problems = (environment: Record<string, string>) => {
    try {
      readConfig(environment)
      return []
    } catch (error) {
      return error instanceof ConfigError ? error.problems : [String(error)]
    }
  }

  test('without any setting the defaults hold', () => {
    expect(readConfig({})).toMatchObject({
      public_url: 'http://127.0.0.1:8080',
      port: 8080,
      environment: 'staging',
      rate_limits: true,
      rate_limit_read: { quota: 1000, window_seconds: 10 },
      database_url: undefined,
    })
    expect(readConfig({ PORTICO_HOST: '0.0.0.0', PORTICO_PORT: '99' }).public_url).toBe('http://127.0.0.1:99')
  })

  test.each([
    ['PORTICO_PORT', 'eighty'],
    ['PORTICO_PORT', '70000'],
    ['PORTICO_ENVIRONMENT', 'prod'],
    ['PORTICO_PUBLIC_URL', 'portal.example.com'],
    ['PORTICO_PUBLIC_URL', 'https://portal.example.com/api'],
    ['PORTICO_DATABASE_URL', 'mysql://x'],
    ['PORTICO_SECRET_KEY', 'c2hvcnQ='],
    ['PORTICO_RATE_LIMITS', 'yes'],
    ['PORTICO_RATE_LIMIT_READ', '1000'],
    ['PORTICO_RATE_LIMIT_READ', '0/10'],
    ['PORTICO_LOG_LEVEL', 'loud'],
    ['PORTICO_METRICS_PORT', 'maybe'],
    ['PORTICO_REDIS_URL', 'http://127.0.0.1'],
    ['PORTICO_REDIS_URL', 'redis://127.0.0.1/zero'],
  ])('%s=%s is refused by name', (name, value) => {
    expect(problems({ [name]: value })).toHaveLength(1)
    expect(problems({ [name]: value })[0]).toContain(name)
  })

  test('all wrong settings are told together, and no secret is repeated', () => {
    const told = problems({ PORTICO_PORT: 'x', PORTICO_ENVIRONMENT: 'y', PORTICO_SECRET_KEY: 'bXktc2VjcmV0' })
    expect(told).toHaveLength(3)
    expect(told.join()).not.toContain('bXktc2VjcmV0')
  })

  test('a name that is no setting is noticed', () => {
    expect(unknownVariables({ PORTICO_PROT: '1', PORTICO_PORT: '1', PATH: 'x' })).toEqual(['PORTICO_PROT'])
  })
})

describe('logs', () => {
  test.each([
    'key ptk_stg_abcdefghijklmnopqrstuvwxyz0123456789AB failed',
    '{"url":"/v1/?api_key=ptk_live_abcdefghijklmnopqrstuvwxyz0123456789AB"}',
    'postgres://portico:hunter2@db.example.com/portico refused',
    'rediss://:hunter2@redis.example.com refused',
    'whsec_c2VjcmV0c2VjcmV0 and ptt_abc123',
  ])('secrets are taken out of: %s', (line) => {
    expect(redactSecrets(line)).not.toMatch(/abcdefgh|hunter2|c2VjcmV0|abc123/)
  })
})

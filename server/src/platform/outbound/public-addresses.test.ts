import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressProblem, canonicalAddress, isPublicAddress } from './public-addresses.ts'

const strict = { allowPrivate: false, allowHttp: false }
const problemOf = (address: string, rules = strict) => addressProblem(new URL(address), rules)

/** First address and length of the prefix. */
const closedRanges: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['168.63.129.16', 32],
]
const closedAddress = fc
  .constantFrom(...closedRanges)
  .chain(([first, length]) => fc.nat(2 ** (32 - length) - 1).map((offset) => numberOf(first) + offset))

/** Ways to write an IPv4 address that a URL accepts as its host. */
const urlNotations: Record<string, (value: number) => string> = {
  dotted: (value) => bytesOf(value).join('.'),
  'dotted with a last dot': (value) => `${bytesOf(value).join('.')}.`,
  'dotted with two last dots': (value) => `${bytesOf(value).join('.')}..`,
  'dotted with ideographic full stops': (value) => bytesOf(value).join('。'),
  'dotted with a tab inside': (value) => bytesOf(value).join('\t.'),
  decimal: (value) => String(value),
  hexadecimal: (value) => `0x${value.toString(16)}`,
  'hexadecimal in capitals': (value) => `0X${value.toString(16).toUpperCase()}`,
  octal: (value) => `0${value.toString(8)}`,
  'hexadecimal parts': (value) => bytesOf(value).map(hex).join('.'),
  'octal parts': (value) => bytesOf(value).map(octal).join('.'),
  'octal parts with many zeros': (value) =>
    bytesOf(value)
      .map((byte) => `00000${byte.toString(8)}`)
      .join('.'),
  'mixed parts': (value) =>
    bytesOf(value)
      .map((byte, index) => [hex, octal, String][index % 3]?.(byte) ?? byte)
      .join('.'),
  'two parts': (value) => `${value >>> 24}.${value & 0xffffff}`,
  'three parts': (value) => `${value >>> 24}.${(value >>> 16) & 0xff}.${value & 0xffff}`,
  'percent-encoded': (value) => bytesOf(value).join('%2E'),
  'full-width digits': (value) =>
    bytesOf(value)
      .join('.')
      .replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  'circled digits': (value) =>
    bytesOf(value)
      .join('.')
      .replace(/\d/g, (digit) => String.fromCodePoint(digit === '0' ? 0x24ea : 0x245f + Number(digit))),
  'before a backslash and a public name': (value) => `${bytesOf(value).join('.')}\\@api.example.com`,
  mapped: (value) => `[::ffff:${bytesOf(value).join('.')}]`,
  'mapped in hexadecimal': (value) => `[::ffff:${groups(value)}]`,
  'mapped at full length': (value) => `[0000:0000:0000:0000:0000:FFFF:${groups(value)}]`,
  compatible: (value) => `[::${groups(value)}]`,
  translated: (value) => `[::ffff:0:${groups(value)}]`,
  NAT64: (value) => `[64:ff9b::${groups(value)}]`,
  'local NAT64': (value) => `[64:ff9b:1::${groups(value)}]`,
  '6to4': (value) => `[2002:${groups(value)}::1]`,
  Teredo: (value) => `[2001:0:4136:e378:8000:63bf:${groups(~value >>> 0)}]`,
}

describe('addresses that are not public', () => {
  test.each(Object.keys(urlNotations))('no closed IPv4 address passes as a URL, written %s', (name) => {
    fc.assert(
      fc.property(closedAddress, (value) => {
        expect(problemOf(`https://${urlNotations[name]?.(value)}/hook`)).toContain('must be on the public Internet')
      }),
      { numRuns: 300 },
    )
  })

  test('no closed IPv4 address is public in any notation a resolver or a person may write', () => {
    const notations = Object.entries(urlNotations).filter(
      ([name]) => !/last dot|stops|tab|percent|full-width|circled|backslash/.test(name),
    )
    fc.assert(
      fc.property(closedAddress, fc.constantFrom(...notations), (value, [, write]) => {
        expect(isPublicAddress(write(value).replace(/[[\]]/g, ''))).toBe(false)
      }),
      { numRuns: 2000 },
    )
  })

  test.each([
    '169.254.169.254',
    '100.100.100.200',
    '255.255.255.255',
    '::',
    '::1',
    '0:0:0:0:0:0:0:1',
    'fe80::1',
    'fe80::1%eth0',
    '2606:4700::1%eth0',
    'fc00::1',
    'fd00:ec2::254',
    'fec0::1',
    'ff02::1',
    '100::1',
    '2001:db8::1',
    '2001:2::1',
    '2001:10::1',
    '2001:20::1',
    '3fff::1',
    '5f00::1',
    '4000::1',
    '64:ff9b:1::808:808',
    '2002:808:808::1',
    '2001:0:808:808::1',
    '::8.8.8.8',
    '',
    'localhost',
    '256.1.1.1',
    '08.8.8.8',
    '[2606:4700::1]',
    '8.8.8.8 ',
    '8.8.8.8/32',
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})

describe('addresses that are public', () => {
  test.each(closedRanges)('the neighbours of %s/%i are open, so that no range is closed too far', (first, length) => {
    const neighbours = [numberOf(first) - 1, numberOf(first) + 2 ** (32 - length)]
      .filter((value) => value > 0 && value < numberOf('224.0.0.0'))
      .map((value) => bytesOf(value).join('.'))
    expect(neighbours.filter((address) => !isPublicAddress(address))).toEqual([])
  })

  test.each([
    '8.8.8.8',
    '134744072',
    '0x08080808',
    '2606:4700:4700::1111',
    '2A00:1450:4001:0:0:0:0:1',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  test('an address has one canonical text, whatever its notation', () => {
    expect(new Set(['127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', '0x7f000001'].map(canonicalAddress)).size).toBe(1)
    expect(canonicalAddress('::1')).not.toBe(canonicalAddress('127.0.0.1'))
    expect(canonicalAddress('localhost')).toBeUndefined()
  })
})

describe('the URL as it is written', () => {
  test.each([
    'https://api.example.com/hook?x=1',
    'https://api.example.com:8443/',
    'https://api.example.com./',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]/',
    'https://bücher.example/',
    'https://internal.example.com/',
    'https://localhost.example.com/',
    'https://my.notlocal/',
  ])('%s is fine', (address) => {
    expect(problemOf(address)).toBeUndefined()
  })

  test.each([
    ['http://api.example.com/', 'https://'],
    ['ftp://api.example.com/', 'https://'],
    ['file:///etc/passwd', 'https://'],
    ['data:text/plain,x', 'https://'],
    ['https://user@api.example.com/', 'user name'],
    ['https://user:word@api.example.com/', 'user name'],
    ['https://:word@api.example.com/', 'user name'],
    ['https://api.example.com/#part', 'fragment'],
    [`https://${'a'.repeat(63)}.${'b.'.repeat(95)}x/`, 'at most 253 characters'],
    [`https://${'ü'.repeat(50)}.${'ü.'.repeat(30)}example/`, 'at most 253 characters'],
    ['https://api.example.com/#', 'fragment'],
    ['https://localhost/', 'fully qualified public name'],
    ['https://LOCALHOST./', 'fully qualified public name'],
    ['https://intranet:8443/', 'fully qualified public name'],
    ['https://localhost../', 'fully qualified public name'],
    ['https://ＬＯＣＡＬＨＯＳＴ/', 'fully qualified public name'],
    ['https://a.localhost/', 'private network'],
    ['https://metadata.google.internal../', 'private network'],
    ['https://metadata。google。internal/', 'private network'],
    ['https://router.home.arpa/', 'private network'],
    ['https://localhost.localdomain/', 'private network'],
    ['https://api.example.com@127.0.0.1/', 'user name'],
    ['https://api.example.com%40127.0.0.1:x@10.0.0.1/', 'user name'],
    ['https://metadata.google.internal/', 'private network'],
    ['https://metadata.google.internal./', 'private network'],
    ['https://printer.LOCAL/', 'private network'],
    ['https://api.example.com:0/', 'port 0'],
    ['https://api.example.com:22/', 'port 22'],
    ['https://api.example.com:25/', 'port 25'],
    ['https://api.example.com:3306/', 'port 3306'],
    ['https://api.example.com:5432/', 'port 5432'],
    ['https://api.example.com:6379/', 'port 6379'],
  ])('%s is refused: %s', (address, reason) => {
    expect(problemOf(address)).toContain(reason)
  })

  test('http is fine only where it is allowed, and nothing else comes with it', () => {
    const rules = { allowPrivate: false, allowHttp: true }
    expect(problemOf('http://api.example.com/', rules)).toBeUndefined()
    expect(problemOf('http://127.0.0.1/', rules)).toContain('public Internet')
    expect(problemOf('ftp://api.example.com/', rules)).toContain('https://')
  })

  test('the own network is fine only where it is allowed, and nothing else comes with it', () => {
    const rules = { allowPrivate: true, allowHttp: false }
    for (const host of ['localhost', '127.0.0.1', '[::1]', 'provider', 'a.internal'])
      expect(problemOf(`https://${host}/`, rules)).toBeUndefined()
    expect(problemOf('http://localhost/', rules)).toContain('https://')
    expect(problemOf('https://a@localhost/', rules)).toContain('user name')
    expect(problemOf('https://localhost:6379/', rules)).toContain('port 6379')
  })
})

function numberOf(dotted: string): number {
  return dotted.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
}

function bytesOf(value: number): number[] {
  return [value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff]
}

function groups(value: number): string {
  return `${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`
}

function hex(byte: number): string {
  return `0x${byte.toString(16)}`
}

function octal(byte: number): string {
  return `0${byte.toString(8)}`
}

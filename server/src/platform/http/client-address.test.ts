import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { createClientAddresses } from './client-address.ts'

function addressOf(trusted: string, peer: string | undefined, forwarded?: string): string {
  const { trusted_proxies } = readConfig({ PORTICO_TRUSTED_PROXIES: trusted })
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  // safe because nothing else of a request is looked at
  return createClientAddresses(trusted_proxies)({ socket: { remoteAddress: peer }, headers } as IncomingMessage)
}

describe('the address of a client', () => {
  test.each([
    ['the peer, when no proxy is trusted', '', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['the peer, when it is no trusted proxy', '10.0.0.0/8', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['what a trusted proxy says', '10.0.0.0/8', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    [
      'the last one that a client cannot have written',
      '10.0.0.0/8',
      '10.0.0.1',
      '1.1.1.1, 198.51.100.1',
      '198.51.100.1',
    ],
    [
      'behind several proxies',
      '10.0.0.0/8,192.0.2.7',
      '10.0.0.1',
      '9.9.9.9,198.51.100.1, 192.0.2.7,10.9.9.9',
      '198.51.100.1',
    ],
    ['the first proxy, when there are only proxies', '10.0.0.0/8', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['the proxy, when it says nothing', '10.0.0.0/8', '10.0.0.1', undefined, '10.0.0.1'],
    ['the proxy, when it says nothing useful', '10.0.0.0/8', '10.0.0.1', '1.1.1.1, unknown', '10.0.0.1'],
    ['the proxy, for a header that ends with a comma', '10.0.0.0/8', '10.0.0.1', '1.1.1.1,', '10.0.0.1'],
    ['a header of commas', '10.0.0.0/8', '10.0.0.1', ',,,', '10.0.0.1'],
    ['no address in another notation', '10.0.0.0/8', '10.0.0.1', '0x7f.1', '10.0.0.1'],
    ['without its port', '10.0.0.0/8', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['an IPv6 address without its port', '10.0.0.0/8', '10.0.0.1', '[2001:DB8::1]:4711', '2001:db8::1'],
    ['IPv6', 'fd00::/8', 'fd00::1', '2001:0db8:0:0:0:0:0:1', '2001:db8::1'],
    ['a mapped peer is its IPv4 address', '10.0.0.0/8', '::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['a mapped peer in hexadecimal', '10.0.0.0/8', '::ffff:a00:1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['a mapped range is its IPv4 range', '::ffff:10.0.0.0/104', '10.200.0.1', '198.51.100.1', '198.51.100.1'],
    ['an IPv6 range holds no IPv4 address', '::/0', '10.0.0.1', '198.51.100.1', '10.0.0.1'],
    ['a link-local proxy, whatever its zone', 'fe80::1', 'fe80::1%eth0', '198.51.100.1', '198.51.100.1'],
    ['none, of a connection that is gone', '10.0.0.0/8', undefined, '198.51.100.1', ''],
  ])('%s', (_, trusted, peer, forwarded, expected) => {
    expect(addressOf(trusted, peer, forwarded)).toBe(expected)
  })

  test('no more than 32 proxies are believed, however long the header is', () => {
    const proxies = Array.from({ length: 100 }, (_, index) => `10.0.0.${index}`).join(',')
    expect(addressOf('10.0.0.0/8', '10.1.1.1', `198.51.100.1,${proxies}`)).toBe('10.0.0.68')
  })
})

test.each(['10.0.0.0/33', '10.0.0.0/', '10.0.0/8', 'proxy.example.com', '10.0.0.1 10.0.0.2', '::/129', 'fe80::1%eth0'])(
  'the start is refused when a trusted proxy is %s',
  (text) => expect(() => readConfig({ PORTICO_TRUSTED_PROXIES: text })).toThrow('PORTICO_TRUSTED_PROXIES must be IP'),
)

test('the start is refused for a range of mapped addresses that would hold others, too', () => {
  expect(() => readConfig({ PORTICO_TRUSTED_PROXIES: '::ffff:0.0.0.0/90' })).toThrow('beyond /96')
})

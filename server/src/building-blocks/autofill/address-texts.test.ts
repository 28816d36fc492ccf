import { describe, expect, test } from 'vitest'
import { readAddress } from './address-texts.ts'

describe('addresses in the United States, Canada and Australia', () => {
  const harbour = {
    line1: '1 Harbour Street',
    city: 'San Francisco',
    region: 'US-CA',
    postal_code: '94105',
    country: 'US',
  }

  test.each([
    ['1 Harbour Street, San Francisco, CA 94105', 'US', harbour],
    ['1 Harbour Street, San Francisco, CA, 94105', 'US', harbour],
    ['1 Harbour Street\nSan Francisco CA 94105', 'US', harbour],
    ['1 Harbour Street, San Francisco, California 94105, USA', null, harbour],
    ['1 Harbour Street, San Francisco, CA 94105 United States.', 'GB', harbour],
    ['1 Harbour Street, San Francisco, CA 94105-1234', 'US', { ...harbour, postal_code: '94105-1234' }],
    ['1 Harbour Street, Floor 2, San Francisco, CA 94105', 'US', { ...harbour, line2: 'Floor 2' }],
    ['1 Harbour Street, Floor 2, Room 3, San Francisco, CA 94105', 'US', { ...harbour, line2: 'Floor 2, Room 3' }],
    [
      '5 Elm St, New York, NY 10001',
      'US',
      { line1: '5 Elm St', city: 'New York', region: 'US-NY', postal_code: '10001' },
    ],
    [
      '5 Elm St, Charleston West Virginia 25301',
      'US',
      { line1: '5 Elm St', city: 'Charleston', region: 'US-WV', postal_code: '25301' },
    ],
    ['5 Elm St, Atlanta, Georgia', 'US', { line1: '5 Elm St', city: 'Atlanta', region: 'US-GA' }],
    [
      '100 King St W, Toronto, ON M5X 1A9, Canada',
      'US',
      { line1: '100 King St W', city: 'Toronto', region: 'CA-ON', postal_code: 'M5X 1A9', country: 'CA' },
    ],
    [
      '1 George St, Sydney NSW 2000',
      'AU',
      { line1: '1 George St', city: 'Sydney', region: 'AU-NSW', postal_code: '2000', country: 'AU' },
    ],
  ])('%j with %s', (text, country, address) => {
    expect(readAddress(text, country)).toEqual({ country: 'US', ...address })
  })
})

describe('addresses in Europe', () => {
  test.each([
    ['10 Downing Street, London, SW1A 2AA', 'GB', ['10 Downing Street', 'London', 'SW1A 2AA', 'GB']],
    ['10 Downing Street, London sw1a 2aa, UK', null, ['10 Downing Street', 'London', 'SW1A 2AA', 'GB']],
    ['5 Mill Lane, Headingley, Leeds, LS6 1AA', 'GB', ['5 Mill Lane', 'Leeds', 'LS6 1AA', 'GB', 'Headingley']],
    ['2 Main St, Belfast, BT1 5GS Northern Ireland', null, ['2 Main St', 'Belfast', 'BT1 5GS', 'GB']],
    ['1 Grafton Street, Dublin, D02 X285, Ireland', 'GB', ['1 Grafton Street', 'Dublin', 'D02 X285', 'IE']],
    ['Hauptstraße 12, 10115 Berlin', 'DE', ['Hauptstraße 12', 'Berlin', '10115', 'DE']],
    ['Hauptstraße 12, D-10115 Berlin, DE', null, ['Hauptstraße 12', 'Berlin', '10115', 'DE']],
    ['12, rue de la Paix, 75002 Paris, France', 'US', ['12 rue de la Paix', 'Paris', '75002', 'FR']],
    ['12 rue de la Paix, 75002 Paris France', null, ['12 rue de la Paix', 'Paris', '75002', 'FR']],
    ['Damrak 1, 1012 LG Amsterdam, the Netherlands', null, ['Damrak 1', 'Amsterdam', '1012 LG', 'NL']],
    ['Bahnhofstrasse 1, CH-8001 Zürich', 'CH', ['Bahnhofstrasse 1', 'Zürich', '8001', 'CH']],
    ['1 rue du Fort, L-1234 Luxembourg', 'LU', ['1 rue du Fort', 'Luxembourg', '1234', 'LU']],
  ])('%j with %s', (text, known, [line1, city, postal_code, country, line2]) => {
    expect(readAddress(text, known)).toEqual({ line1, city, postal_code, country, ...(line2 && { line2 }) })
  })

  test('a county between town and code is the region', () => {
    expect(readAddress('1 High Street, Guildford, Surrey, GU1 3AA', 'GB')).toEqual({
      line1: '1 High Street',
      city: 'Guildford',
      region: 'GB-SRY',
      postal_code: 'GU1 3AA',
      country: 'GB',
    })
  })
})

test.each([
  ['San Francisco, CA 94105', 'US'],
  ['1 Harbour Street, San Francisco, CA 94105', null],
  ['1 Harbour Street, San Francisco, CA 94105', 'DE'],
  ['1 Harbour Street, San Francisco, ZZ 94105', 'US'],
  ['1 Harbour Street, San Francisco', 'US'],
  ['Hauptstraße 12, Berlin', 'DE'],
  ['Hauptstraße 12, 10115 9', 'DE'],
  ['1-2-3 Ginza, Tokyo 104-0061, Japan', null],
  ['USA', 'US'],
  ['', 'US'],
])('%j with %s is no address we can read', (text, country) => {
  expect(readAddress(text, country)).toBeUndefined()
})

describe('addresses where codes are seldom written', () => {
  test.each([
    ['28 Kaki Bukit Place, #03-11, Singapore 416207', 'SG', { city: 'Singapore', postal_code: '416207' }],
    ['21 Tuas Avenue 8, #03-14, Singapore (639238)', 'SG', { city: 'Singapore', postal_code: '639238' }],
    [
      'Av. San Martín 1840, Rafaela, Santa Fe (S2300)',
      'AR',
      { line1: 'Av. San Martín 1840', city: 'Rafaela', region: 'AR-S', postal_code: 'S2300' },
    ],
    ['Av. Corrientes 1140, C1043AAZ Buenos Aires', 'AR', { city: 'Buenos Aires', postal_code: 'C1043AAZ' }],
    ['Bv. Lehmann 77, S2300 Rafaela, Santa Fe', 'AR', { city: 'Rafaela', region: 'AR-S', postal_code: 'S2300' }],
    ['Plot 22, MIDC Phase II, Sangli, Maharashtra 416436', 'IN', { city: 'Sangli', region: 'IN-MH' }],
    ['14 MG Road, Pune 411001', 'IN', { city: 'Pune', postal_code: '411001' }],
    ['Unit 1206, 18 Tai Yip Street, Kwun Tong, Hong Kong', 'HK', { city: 'Kwun Tong', country: 'HK' }],
    ['Camino Las Rastras 1420, Talca', 'CL', { line1: 'Camino Las Rastras 1420', city: 'Talca' }],
    ['Jr. Gamarra 1185, La Victoria, Lima', 'PE', { line1: 'Jr. Gamarra 1185' }],
  ] as const)('%s', (text, country, address) => {
    expect(readAddress(text, country)).toMatchObject(address)
  })

  test('a name without a number is no address', () => {
    expect(readAddress('Constructora Lircay, Talca', 'CL')).toBeUndefined()
  })
})

import { describe, expect, test } from 'vitest'
import { countryByName, countryCodes, isRegionOf, regionByName } from './countries.ts'

describe('countries by name', () => {
  test.each([
    ['Germany', 'DE'],
    ['the  netherlands', 'NL'],
    ['U.S.A.', 'US'],
    ['United States', 'US'],
    ['United States of America', 'US'],
    ['UK', 'GB'],
    ['Great Britain', 'GB'],
    ['Northern Ireland', 'GB'],
    ['DEU', 'DE'],
    ["Cote d'Ivoire", 'CI'],
    ['Côte d’Ivoire', 'CI'],
    ['Republic of Korea', 'KR'],
    ['South Korea', 'KR'],
    ['Bolivia', 'BO'],
    ['Congo', 'CG'],
    ['Democratic Republic of the Congo', 'CD'],
    ['St. Lucia', 'LC'],
    ['Trinidad & Tobago', 'TT'],
  ])('%s is %s', (name, code) => {
    expect(countryByName(name)).toBe(code)
  })

  test.each(['', '★', 'Korea', 'Virgin Islands', 'Atlantis', 'constructor'])(
    '%j is no country, or more than one',
    (name) => {
      expect(countryByName(name)).toBeUndefined()
    },
  )
})

describe('regions by name', () => {
  test.each([
    ['US', 'California', 'US-CA'],
    ['US', 'new york', 'US-NY'],
    ['CA', 'Québec', 'CA-QC'],
    ['DE', 'Baden-Wurttemberg', 'DE-BW'],
    ['GB', 'Bristol', 'GB-BST'],
    ['GB', 'City of Edinburgh', 'GB-EDH'],
  ])('in %s, %s is %s', (country, name, code) => {
    expect(regionByName(country, name)).toBe(code)
  })

  test('a name belongs to its own country only', () => {
    expect(regionByName('GB', 'California')).toBeUndefined()
    expect(regionByName('XX', 'California')).toBeUndefined()
    expect(regionByName('US', '')).toBeUndefined()
    for (const country of countryCodes) {
      const code = regionByName(country, 'Georgia') ?? `${country}-`
      expect(isRegionOf(code, country)).toBe(true)
    }
  })
})

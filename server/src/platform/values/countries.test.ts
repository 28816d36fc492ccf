import { iso31662 } from 'iso-3166'
import { describe, expect, test } from 'vitest'
import { countryByName, countryCodes, isRegion, isRegionOf, regionByName, regionCodes } from './countries.ts'
import { regionChanges } from './region-changes.ts'

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

  test('regions are those of today: what was divided, merged or abolished is refused', () => {
    for (const { withdrawn, added } of regionChanges) {
      for (const code of withdrawn) expect([code, isRegion(code)]).toEqual([code, false])
      for (const { code, name, parent } of added) {
        expect([code, isRegion(code), isRegionOf(code, parent)]).toEqual([code, true, true])
        expect(regionByName(parent, name)).toBe(code)
      }
    }
    const norway = [
      '03',
      '11',
      '15',
      '18',
      '21',
      '22',
      '31',
      '32',
      '33',
      '34',
      '39',
      '40',
      '42',
      '46',
      '50',
      '55',
      '56',
    ]
    expect(regionCodes.filter((code) => isRegionOf(code, 'NO')).sort()).toEqual(norway.map((code) => `NO-${code}`))
  })

  test('a change is made only where the package still needs it, and no code is there twice', () => {
    const packaged = new Set(iso31662.map(({ code }) => code))
    for (const { withdrawn, added } of regionChanges) {
      expect(withdrawn.filter((code) => !packaged.has(code))).toEqual([])
      expect(added.filter(({ code }) => packaged.has(code))).toEqual([])
    }
    expect(new Set(regionCodes).size).toBe(regionCodes.length)
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

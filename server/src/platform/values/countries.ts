import { iso31661, iso31662 } from 'iso-3166'
import { regionChanges } from './region-changes.ts'
import { foldText } from './text-keys.ts'

export function isCountry(code: string): boolean {
  return countries.has(code)
}

export function isRegion(code: string): boolean {
  return regions.has(code)
}

/** ISO 3166-2 codes begin with the country they belong to. */
export function isRegionOf(region: string, country: string): boolean {
  return region.startsWith(`${country}-`)
}

/** The code of a country by its English name or one of the names people use for it: `USA`, `the Netherlands`. */
export function countryByName(name: string): string | undefined {
  countryNames ??= namesOf([
    ...iso31661.map(({ alpha2, alpha3, name }) => ({ code: alpha2, name, short: alpha3 })),
    ...Object.entries(otherCountryNames).flatMap(([code, names]) => names.map((name) => ({ code, name }))),
  ])
  return countryNames.get(nameKey(name))
}

/** The code of a region by its name; undefined when the country has none of that name, or several. */
export function regionByName(country: string, name: string): string | undefined {
  let names = regionNames.get(country)
  if (!names) {
    const own = currentRegions.filter(({ code }) => isRegionOf(code, country))
    // A region inside another one may have its name: the larger one is meant.
    const larger = namesOf(own.filter(({ parent }) => parent === country))
    names = new Map([...namesOf(own), ...larger])
    if (isCountry(country)) regionNames.set(country, names)
  }
  return names.get(nameKey(name))
}

/** The English name of a country, as people say it. */
export function countryName(code: string): string {
  // Asking for a name takes much longer than everything else in a sentence, and being able to ask longer still.
  displayNames ??= new Intl.DisplayNames('en', { type: 'region' })
  const named = displayedNames.get(code) ?? displayNames.of(code) ?? code
  displayedNames.set(code, named)
  return named
}

/** The name of a region without its country: `California`. */
export function regionName(code: string): string {
  regionNamesByCode ??= new Map(currentRegions.map((region) => [region.code, region.name]))
  return regionNamesByCode.get(code) ?? code
}

export const countryCodes: readonly string[] = iso31661.map((country) => country.alpha2)
const withdrawn = new Set(regionChanges.flatMap((change) => change.withdrawn))
const currentRegions = [
  ...iso31662.filter(({ code }) => !withdrawn.has(code)),
  ...regionChanges.flatMap(({ added }) => added),
]
export const regionCodes: readonly string[] = currentRegions.map((region) => region.code)
const countries = new Set(countryCodes)
const regions = new Set(regionCodes)

let displayNames: Intl.DisplayNames | undefined
const displayedNames = new Map<string, string>()
let regionNamesByCode: ReadonlyMap<string, string> | undefined
let countryNames: ReadonlyMap<string, string> | undefined
const regionNames = new Map<string, ReadonlyMap<string, string>>()

const otherCountryNames: Record<string, readonly string[]> = {
  AE: ['UAE'],
  BN: ['Brunei'],
  CD: ['DR Congo'],
  CI: ['Ivory Coast'],
  CV: ['Cape Verde'],
  CZ: ['Czech Republic'],
  GB: ['UK', 'United Kingdom', 'Great Britain', 'Britain', 'England', 'Scotland', 'Wales', 'Northern Ireland'],
  IE: ['Republic of Ireland'],
  KP: ['North Korea'],
  KR: ['South Korea'],
  LA: ['Laos'],
  MO: ['Macau'],
  NL: ['Holland'],
  RU: ['Russia'],
  SY: ['Syria'],
  SZ: ['Swaziland'],
  TL: ['East Timor'],
  TR: ['Turkey'],
  US: ['US', 'United States', 'America'],
  VA: ['Vatican City'],
  VN: ['Vietnam'],
}

/**
 * Whole names first; then `Korea, Republic of` also the other way round and, like `Falkland Islands (Malvinas)`, by its
 * first part, as long as that means one place only.
 */
function namesOf(places: readonly { code: string; name: string; short?: string }[]): Map<string, string> {
  const names = new Map<string, string>()
  const forms = [
    ({ name }: { name: string }) => [name],
    ({ short }: { short?: string }) => (short ? [short] : []),
    ({ name }: { name: string }) => {
      const [first = '', rest = ''] = name.split(/[,(]/)
      return rest === '' ? [] : [first, `${rest} ${first}`]
    },
  ]
  for (const form of forms) {
    const found = new Map<string, Set<string>>()
    for (const place of places) {
      for (const name of form(place)) {
        const key = nameKey(name)
        found.set(key, (found.get(key) ?? new Set()).add(place.code))
      }
    }
    for (const [key, codes] of found) {
      const [code] = codes
      if (code !== undefined && codes.size === 1 && key !== '' && !names.has(key)) names.set(key, code)
    }
  }
  return names
}

function nameKey(name: string): string {
  return foldText(name.replaceAll('&', ' and ').replace(/[.'’]/g, ''))
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && word !== 'the')
    .map((word) => (word === 'st' ? 'saint' : word))
    .join(' ')
}

import { iso31661, iso31662 } from 'iso-3166'

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

export const countryCodes: readonly string[] = iso31661.map((country) => country.alpha2)
export const regionCodes: readonly string[] = iso31662.map((region) => region.code)
const countries = new Set(countryCodes)
const regions = new Set(regionCodes)

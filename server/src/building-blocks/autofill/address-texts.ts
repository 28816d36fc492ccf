// Addresses written in one text: parts divided by commas or lines, from the door to the country. The country, named at
// the end or known of the business, says how the last part is written:
//   region and code  `San Francisco, CA 94105`     US, CA, AU
//   code last        `London, SW1A 2AA`            GB, IE
//   code first       `10115 Berlin`                most of Europe
//   town last        `Kwun Tong, Hong Kong`        where codes are seldom written
import { countryByName, isCountry, isRegion, regionByName } from '../../platform/values/countries.ts'

interface WrittenAddress {
  line1: string
  line2?: string
  city: string
  region?: string
  postal_code?: string
  country: string
}

export function readAddress(text: string, knownCountry: string | null): WrittenAddress | undefined {
  const parts = joinHouseNumber(
    text
      // `46001-VALENCIA`
      .replace(/(?<![\d-])(\d{4,5})-(?=\p{Lu}\p{L}{2})/gu, '$1 ')
      .split(/[,;\n\r]+/)
      .map(tidy)
      .filter(Boolean),
  )
  if (parts.length === 1 && forms.get(knownCountry ?? '')?.order === 'town_last')
    return text.includes(' - ') ? readAddress(text.replaceAll(' - ', ', '), knownCountry) : undefined
  const [only = ''] = parts
  // `14 rue du Ster 56670 Riantec`
  const town = parts.length === 1 ? [...only.matchAll(/(?<=\p{L})\s(?=\d{4,5} \p{Lu})/gu)].at(-1)?.index : undefined
  const street = only.slice(0, town)
  if (town !== undefined && /\d/.test(street) && forms.get(knownCountry ?? '')?.order === 'code_first')
    return readAddress(`${street},${only.slice(town)}`, knownCountry)
  if (parts.length < 2 || parts.length > 10) return undefined
  const { country, rest } = takeCountry(parts, knownCountry)
  const end = country === undefined ? undefined : endOf(rest, country)
  if (country === undefined || !end || !/\p{L}/u.test(end.city)) return undefined
  const [line1, ...more] = end.lines
  if (line1 === undefined) return undefined
  return {
    line1,
    ...(more.length > 0 && { line2: more.join(', ') }),
    city: end.city,
    ...(end.region && { region: end.region }),
    ...(end.postal_code && { postal_code: end.postal_code }),
    country,
  }
}

/** A country by code or by name. */
export function readCountry(text: string): string | undefined {
  const code = text.trim().toUpperCase()
  return isCountry(code) ? code : countryByName(text)
}

/** A region by its whole code, its code within the country, or its name. */
export function readRegion(text: string, country: string | null): string | undefined {
  const code = text.trim().toUpperCase()
  if (isRegion(code)) return code
  if (country === null) return undefined
  return isRegion(`${country}-${code}`) ? `${country}-${code}` : regionByName(country, text)
}

interface End {
  lines: readonly string[]
  city: string
  region?: string | undefined
  postal_code?: string | undefined
}

function endOf(parts: readonly string[], country: string): End | undefined {
  const form = forms.get(country)
  if (form?.order === 'region_code') return regionAndCode(parts, country, form.code)
  if (form?.order === 'code_last') return codeLast(parts, country, form.code)
  if (form?.order === 'region_or_code')
    return regionAndCode(parts, country, form.code) ?? codeLast(parts, country, form.code)
  if (form?.order === 'town_last') return townLast(parts, country, form.code)
  return form && (codeFirst(parts, form.code) ?? codeAndRegion(parts, country, form.code))
}

/** `15200 Noia, A Coruña`: the region behind the town. */
function codeAndRegion(parts: readonly string[], country: string, code: string): End | undefined {
  const region = readRegion(parts.at(-1) ?? '', country)
  const end = codeFirst(parts.slice(0, -1), code)
  return region !== undefined && end && end.lines.length > 0 ? { ...end, region } : undefined
}

function regionAndCode(parts: readonly string[], country: string, code: string): End | undefined {
  const { before, postal_code } = takeCode(parts, code)
  const last = before.at(-1) ?? ''
  const region = readRegion(last, country)
  // Without a code, a region alone must be enough to know the end by.
  if (region !== undefined && before.length >= 3)
    return { lines: before.slice(0, -2), city: before.at(-2) ?? '', region, postal_code }
  if (postal_code === undefined) return undefined
  const words = last.split(' ')
  // `West Virginia` before `Virginia`.
  for (let count = Math.min(4, words.length - 1); count > 0; count--) {
    const name = words.slice(-count).join(' ')
    const found = count > 1 || /^[A-Z]{2,3}$/.test(name) || name.length > 3 ? readRegion(name, country) : undefined
    if (found) return { lines: before.slice(0, -1), city: words.slice(0, -count).join(' '), region: found, postal_code }
  }
  return undefined
}

function codeLast(parts: readonly string[], country: string, code: string): End | undefined {
  const { before, postal_code } = takeCode(parts, code)
  if (postal_code === undefined) return undefined
  const last = before.at(-1) ?? ''
  // A county may stand between the town and the code; most other names of regions are towns as well.
  const isCounty = before.length >= 3 && (/^co(unty)?\.? |shire$/i.test(last) || counties.has(last.toLowerCase()))
  if (!isCounty) return { lines: before.slice(0, -1), city: last, postal_code: postal_code.toUpperCase() }
  return {
    lines: before.slice(0, -2),
    city: before.at(-2) ?? '',
    region: regionByName(country, last.replace(/^co(unty)?\.? /i, '')),
    postal_code: postal_code.toUpperCase(),
  }
}

function codeFirst(parts: readonly string[], code: string): End | undefined {
  const match = new RegExp(`^(?:[A-Z]{1,2}[- ])?(${code}) (\\S.*)$`, 'i').exec(parts.at(-1) ?? '')
  const [, postal_code, city] = match ?? []
  return city === undefined ? undefined : { lines: parts.slice(0, -1), city, postal_code }
}

/** The town, perhaps with its region behind it and a code at either side. */
function townLast(parts: readonly string[], country: string, code: string): End | undefined {
  // `Rafaela, Santa Fe (S2300)`
  const regional = regionAndCode(parts, country, code)
  if (regional?.postal_code !== undefined) return regional
  const coded = codeFirst(parts, code) ?? codeAndRegion(parts, country, code) ?? codeLast(parts, country, code)
  if (coded) return coded
  const region = parts.length >= 3 ? readRegion(parts.at(-1) ?? '', country) : undefined
  const town = region === undefined ? -1 : -2
  // A street has a number, a town has none.
  if (!parts.slice(0, town).some((part) => /\d/.test(part)) || /\d/.test(parts.at(town) ?? '')) return undefined
  return { lines: parts.slice(0, town), city: parts.at(town) ?? '', region }
}

/** Takes the postal code off the end, whether it is a part of its own or the end of one. */
function takeCode(parts: readonly string[], code: string): { before: string[]; postal_code: string | undefined } {
  const last = parts.at(-1) ?? ''
  // `Singapore (639238)`
  const match = new RegExp(`(?:^| )(?:(${code})|\\((${code})\\))$`, 'i').exec(last)
  if (!match) return { before: [...parts], postal_code: undefined }
  const rest = last.slice(0, match.index)
  return { before: [...parts.slice(0, -1), ...(rest === '' ? [] : [rest])], postal_code: match[1] ?? match[2] }
}

function takeCountry(
  parts: readonly string[],
  known: string | null,
): { country: string | undefined; rest: readonly string[] } {
  const last = parts.at(-1) ?? ''
  const without = parts.slice(0, -1)
  // Two letters are a country only where nothing else is known: `CA` and `DE` are states as well.
  const isCode = last.length === 2 && isCountry(last) && (known === null || known === last)
  const named = isCode ? last : countryByName(last)
  // Georgia is a country, but not to somebody in the United States.
  const isOwnRegion = known !== null && named !== known && regionByName(known, last) !== undefined
  if (named !== undefined && !isOwnRegion) return { country: named, rest: without }
  const words = last.split(' ')
  for (let count = Math.min(4, words.length - 1); count > 0; count--) {
    const rest = words.slice(0, -count).join(' ')
    const found = /[0-9]/.test(rest) ? countryByName(words.slice(-count).join(' ')) : undefined
    // `L-1234 Luxembourg` is a town.
    if (found !== undefined && /[0-9] |[0-9]$/.test(rest) && !isOnlyCode(rest, found))
      return { country: found, rest: [...without, rest] }
  }
  return { country: known ?? undefined, rest: parts }
}

/** Whether nothing would be left for the city, where that stands behind its code. */
function isOnlyCode(text: string, country: string): boolean {
  const form = forms.get(country)
  return form?.order === 'code_first' && new RegExp(`^(?:[A-Z]{1,2}[- ])?(?:${form.code})$`, 'i').test(text)
}

/** `12, rue de la Paix` is one line. */
function joinHouseNumber(parts: string[]): string[] {
  const [number = '', street, ...rest] = parts
  return street !== undefined && /^[0-9]{1,5} ?[a-z]?$/i.test(number) ? [`${number} ${street}`, ...rest] : parts
}

function tidy(part: string): string {
  return part.replace(/\s+/g, ' ').trim().replace(/\.$/, '')
}

type Order = 'region_code' | 'region_or_code' | 'code_last' | 'code_first' | 'town_last'

const fiveDigits = '[0-9]{5}'
const fourDigits = '[0-9]{4}'
const forms = new Map<string, { order: Order; code: string }>([
  ['US', { order: 'region_code', code: '[0-9]{5}(?:-[0-9]{4})?' }],
  ['CA', { order: 'region_code', code: '[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9]' }],
  ['AU', { order: 'region_code', code: fourDigits }],
  ['GB', { order: 'code_last', code: '[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2}' }],
  ['IE', { order: 'code_last', code: '[A-Z][0-9][0-9W] ?[A-Z0-9]{4}' }],
  ...['NZ', 'ZA'].map((country) => [country, { order: 'code_last', code: fourDigits } as const] as const),
  ['SG', { order: 'code_last', code: '[0-9]{6}' }],
  ['IN', { order: 'region_or_code', code: '[0-9]{3} ?[0-9]{3}' }],
  ['CO', { order: 'town_last', code: '[0-9]{6}' }],
  ['CL', { order: 'town_last', code: '[0-9]{7}' }],
  ['AR', { order: 'town_last', code: '[A-Z][0-9]{4}(?:[A-Z]{3})?' }],
  ...['AE', 'HK', 'PE'].map((country) => [country, { order: 'town_last', code: fiveDigits } as const] as const),
  ['NL', { order: 'code_first', code: '[0-9]{4} ?[A-Z]{2}' }],
  ['PL', { order: 'code_first', code: '[0-9]{2}-[0-9]{3}' }],
  ['PT', { order: 'code_first', code: '[0-9]{4}-[0-9]{3}' }],
  ...['CZ', 'GR', 'SE', 'SK'].map((country) => [country, codeFirstOf('[0-9]{3} ?[0-9]{2}')] as const),
  ...['DE', 'ES', 'FI', 'FR', 'IT', 'MX'].map((country) => [country, codeFirstOf(fiveDigits)] as const),
  ...['AT', 'BE', 'CH', 'DK', 'HU', 'LI', 'LU', 'NO'].map((country) => [country, codeFirstOf(fourDigits)] as const),
])

function codeFirstOf(code: string): { order: Order; code: string } {
  return { order: 'code_first', code }
}

const counties = new Set(
  'cornwall,cumbria,devon,dorset,east sussex,essex,kent,middlesex,norfolk,northumberland,somerset,suffolk,surrey,west sussex'.split(
    ',',
  ),
)

// An address that begins behind, beside or below its label, joined into one line.

import { groupBy } from '../../../../platform/values/groups.ts'
import type { Cell, Line } from '../formats/document-text.ts'
import { wordsOf } from '../words/phrases.ts'
import { isNumbered, isSureAddress } from './captions.ts'
import { beforeNextLabel, isLabel, readLabel } from './labels.ts'
import type { Pair } from './pair.ts'
import { hasStreetWord, houseWords, isCountryName } from './place-words.ts'
import { overlap, type ReadDocument } from './places.ts'

const mostParts = 6
const captionsBelow =
  /^(?:number|street|suite(?: or room number)?|city|state|zip code|county|town|postcode|street name)$/i
/** `SUITE 204B` */
const longestUnit = 20
/** What is longer is no address. */
const longest = 300

export function addressAt(document: ReadDocument, pair: Pair, pairs: readonly Pair[]): string | undefined {
  const { pages, country } = document
  const [first] = pair.values
  // `Contact: e-mail address`, and `14 Address of the former branch`, which is the next caption.
  if (!first || /^\S+@\S/.test(first.text) || isCaptionOfPlace(first.text)) return undefined
  // `Landstraße 133, | 37075 Göttingen`: a comma runs on in the next cell.
  const next = pair.value_line.cells.find(({ left }) => left > first.left)?.text ?? ''
  const isTownBeside = isCodeFirst(country) && /^\d{4,5} \p{Lu}/u.test(next) && !hasPostcode(first.text, country)
  const runsOn =
    (first.text.trim().endsWith(',') || isTownBeside) && next.trim().includes(' ') && hasPostcode(next, country)
  const inCells = partsInCells(pair, first, country)
  // `12 Mill Road, Leeds LS1 4AP. That is where we bake.`, `…, 36300 Le Blanc. Il peut être transféré …`
  const [, said = ''] =
    /^(.{8,140}?)(?:(?<=\d(?:[A-Z]{2})?)\.\s+\p{Lu}\p{L}*|\.\s+(?:Il|Elle|Es|Er|Sie|Este|El|La))\s\p{Ll}/u.exec(
      first.text,
    ) ?? []
  const own = hasPostcode(said, country) ? said : first.text
  const parts = inCells ?? [trimmed(addressIn(own, country)), ...(runsOn ? [trimmed(next)] : [])]
  const lines = pages[pair.page]?.lines ?? []
  let isPassed = false
  let isGap = false
  for (const [at, { cells }] of lines.slice(pair.value_line.number, pair.value_line.number + mostParts).entries()) {
    const last = parts.at(-1) ?? ''
    // A field of a form holds all of it, unless the next one is empty of a name of its own.
    // Below a street with a comma, the box may go on with the town.
    const isGoingOn = cells.some((cell) => overlap(cell, first) > 0 && hasPostcode(cell.text, country))
    if (first.field !== undefined && cells[0]?.field === undefined && hasTown(last, country))
      if (hasPostcode(last, country) || !isGoingOn) break
    // A form with empty lines between its boxes.
    if (cells.length === 0 && !isGap && parts.length === 1) {
      isGap = true
      continue
    }
    if (isGap && !isTownOfForm(cells, pair, first)) break
    const under = cells.filter((cell) => overlap(cell, first) > 0 || Math.abs(cell.left - first.left) <= 6)
    const part = townInCells(cells, first) ?? under[0]?.text
    // `Number | Street | Suite`: captions below what was filled in.
    if (cells.length > 1 && cells.every(({ text }) => captionsBelow.test(text.trim()))) continue
    // `6 | City, state, and ZIP code`: the caption of the next box, and its number.
    if (part !== undefined && /^\d{1,2}[a-z]?$/.test(part) && cells.some(({ text }) => isLabel(text))) continue
    if (part !== undefined && /^\d{1,2}[a-z]? \p{Lu}/u.test(part) && !hasStreetWord(part) && isLabel(part)) break
    // Another label in the column of this one begins something else.
    const isRow = first.left > pair.cell.left + 6
    // `Address of registered | 22 Mill Curve, Alton,`, and `office | 3900` below it.
    const isWhole = pair.labels.some(isSureAddress)
    const runsOver = parts.length === 1 && first.text.trim().endsWith(',') && !isWhole
    const isCaption = (cell: Cell) => cell.left >= pair.cell.left - 6 && cell.right <= first.left
    const isRest = ({ text }: Cell) => runsOver && readLabel(`${pair.label_text} ${text}`).some(isSureAddress)
    const begins = isRow && cells.some((cell) => isCaption(cell) && !isRest(cell))
    // A line of another column may lie between the street and the postcode.
    if (part === undefined && !isPassed && !isRow && cells.length > 0 && !hasPostcode(last, country)) {
      isPassed = true
      continue
    }
    if (part === undefined || parts.length >= mostParts || begins) break
    // `Gig Harbor, WA 98335` in the column of its street can be nothing else.
    const isLastLine =
      under[0]?.left === first.left && isStreet(last) && !/^\d/.test(part) && hasPostcode(part, country)
    if (isPassed && !isLastLine && !(/\b[A-Z]{2}$/.test(last) && /^\d{5}(-\d{4})?$/.test(part))) break
    const isCountry = isCountryName(part)
    // `…, 26129` and the town in the next line.
    const isOpen = /(^|, )\d{4,5}$/.test(last) || (isRow && cells.length === 1 && /\p{L} \d{5}$/u.test(last))
    const isTown = isCodeFirst(country) && isOpen && /^\p{Lu}[\p{L} '’-]+$/u.test(part)
    // `12540 Vila-real`, and `(Castellón)` below it.
    if (
      isCodeFirst(country) &&
      hasPostcode(last, country) &&
      /^\(\p{Lu}[\p{L} ’'-]{2,30}\)$/u.test(part) &&
      !isBranch(part)
    ) {
      parts[parts.length - 1] = `${last} ${part}`
      break
    }
    if (hasPostcode(last, country) && !isCountry && !isTown) break
    const rest = trimmed(part)
    const isPhone = /^[\d\s()+/.-]{8,}$/.test(part)
    if (rest === '' || part.includes(':') || isLabel(part) || part.length > 80 || /[$£€@%]/.test(part) || isPhone) break
    // `Norwich NR2`, and `9DT` below it.
    const isHalfCode = /\b[A-Z]{1,2}\d[A-Z\d]?$/.test(last) && /^\d[A-Z]{2}$/.test(part)
    if (isTown) parts[parts.length - 1] = `${last.replace(/(?<=[\p{L}\d]) (?=\d{4,5}$)/u, ', ')} ${rest}`
    else if ((isPassed && !isLastLine) || isHalfCode) parts[parts.length - 1] = `${last} ${rest}`
    else parts.push(rest)
    // `ENGLAND`, and the postcode below it.
    const isBeforeCode =
      isCountry &&
      !parts.some((one) => hasPostcode(one, country)) &&
      onlyCode.test(lines[pair.value_line.number + at + 1]?.text.trim() ?? '')
    if ((isCountry && !isBeforeCode) || isTown || (isRow && cells.some(isCaption))) break
  }
  const written =
    parts.length === 1 && !hasPostcode(parts[0] ?? '', country)
      ? (addressOfParts(document, pair, pairs) ?? parts.join(', '))
      : parts.join(', ')
  // `Unit 4,` goes on, and nobody has found where.
  if (parts.length === 1 && /,\s*$/.test(first.text) && written === parts[0] && !hasPostcode(written, country))
    return undefined
  // `8 rue des Artisans 12000 Rodez`
  const address = isCodeFirst(country) ? written.replace(/(?<=[\p{L}\d]) (?=\d{5} \p{Lu}[^,\d]*$)/u, ', ') : written
  if (/^do not use\b/i.test(address)) return addressAfter(address, country)
  // A street has a number, a place a postcode: without a digit it is a name.
  return /\d/.test(address) && /\p{L}{3}/u.test(address) && !address.includes('?') && address.length <= longest
    ? address
    : undefined
}

/** `Do not use P.O. Box address, 102 S Broadway, Cortez, CO 81321` */
function addressAfter(text: string, country: string | null): string | undefined {
  const rest = text.slice(text.indexOf(', ') + 2)
  return /^\d/.test(rest) && hasPostcode(rest, country) ? rest : undefined
}

function isCaptionOfPlace(text: string): boolean {
  const isCaption = isNumbered(text) && !/\d{4}/.test(text)
  return isCaption && readLabel(text).some(({ fact }) => fact === 'business.registered_address')
}

/** `Albion Mills, | Dean Clough Lane, | Halifax HX3 5AX`: commas run on from cell to cell. */
function partsInCells({ value_line }: Pair, first: Cell, country: string | null): string[] | undefined {
  const cells = value_line.cells.filter(({ left }) => left >= first.left)
  const end = cells.findIndex(({ text }) => !text.trim().endsWith(','))
  const last = cells[end]?.text ?? ''
  const isPlaces = cells.slice(0, end).every(({ text }) => isStreet(text))
  return end > 1 && isPlaces && hasPostcode(last, country)
    ? cells.slice(0, end + 1).map(({ text }) => trimmed(text))
    : undefined
}

/** `(Sucursal)` is no province. */
function isBranch(text: string): boolean {
  return /sucursal|oficina|almac[eé]n|matriz|planta|bodega|delegaci[oó]n|succursale|filiale|niederlassung|zweigstelle/i.test(
    text,
  )
}

/** Whether the last part of a text is a house, a street or a number: no town, and nobody's name. */
function isStreet(text: string): boolean {
  const part = trimmed(text).split(',').at(-1) ?? ''
  return (
    /\p{L}{3}/u.test(text) &&
    (/\d/.test(part) || hasStreetWord(part) || wordsOf(part).some((word) => houseWords.has(word)))
  )
}

/** `12 Mill Road, Leeds, LS1 4AB. VAT number …`: behind a postcode, another label may begin. */
function addressIn(text: string, country: string | null): string {
  const before = beforeNextLabel(text)
  return hasPostcode(before, country) ? before : text
}

/** `NORTHAMPTON | MA | 01060`: the parts of the last line in boxes of their own. */
function townInCells(cells: Line, first: Cell): string | undefined {
  const [town, ...rest] = cells.filter((cell) => cell.left >= first.left - 6).slice(0, 3)
  if (!town || rest.length !== 2) return undefined
  const end = rest.map(({ text }) => text).join(' ')
  return /^[A-Z]{2,3} (?:\d{4,5}|[A-Z]\d[A-Z] ?\d[A-Z]\d)$/.test(end) ? `${town.text}, ${end}` : undefined
}

/** `12 Old Road, Leeds`: more than a street. */
function hasTown(text: string, country: string | null): boolean {
  return hasPostcode(text, country) || /\d.*,\s*\p{Lu}/u.test(text)
}

/** In the column of the street, with a state of two letters: `Checking | USD | 12345` is the row of a table. */
function isTownOfForm(cells: Line, { cell }: Pair, first: Cell): boolean {
  const [town, region] = cells.filter(({ left }) => left >= first.left - 6)
  const isBelow = town !== undefined && Math.abs(town.left - first.left) <= 6 && first.left > cell.left + 6
  return isBelow && region?.text.length === 2 && townInCells(cells, first) !== undefined
}

function isCodeFirst(country: string | null): boolean {
  return !regionFirst.has(country ?? '') && !codeLast.has(country ?? '')
}

/** A form asks for the street, the town, the state and the postcode, each under its own label. */
export function addressOfParts(document: ReadDocument, street: Pair, pairs: readonly Pair[]): string | undefined {
  const near = pairsNear(pairs, street)
  // What is beside a caption may stand in the next box; what was filled into its own does not.
  const inFields = near.filter(({ relation }) => relation === 'field')
  // `Registered street` goes with `Registered city`, and not with `Mailing city`.
  const kindOf = ({ label_text }: Pair) => wordsOf(label_text).slice(0, -1)[0]
  const ofKind = near.filter((pair) => kindOf(street) !== undefined && kindOf(pair) === kindOf(street))
  const exact = near.filter(({ labels }) => labels.every(({ is_exact }) => is_exact))
  const valuesOf = (part: string) =>
    [...inFields, ...ofKind, ...exact, ...near].find(({ labels }) => labels.some(({ fact }) => fact === part))
      ?.values ?? []
  const partOf = (part: string) => valuesOf(part)[0]?.text
  const written = trimmed(street.values[0]?.text ?? '')
  const kind = partOf('address.street_kind')
  // `Calle | 21` is a street with a number for a name.
  if (!/\p{L}{2}/u.test(kind ?? written)) return undefined
  const number = /\d/.test(written) && kind === undefined ? undefined : partOf('address.number')
  // `Avenida | Avenida México` says it twice.
  const isSaid = kind !== undefined && written.toLowerCase().startsWith(`${kind.toLowerCase()} `)
  // Beside an empty box stands what was filled into the next one.
  const unit = valuesOf('address.unit').find(({ text }) => text.length <= longestUnit && !/\d{5}|\d-\d{3}/.test(text))
  const whole = [isSaid ? undefined : kind, written, number, unit?.text].filter((part) => part !== undefined).join(' ')
  const first = [whole, partOf('address.district')].filter((part) => part !== undefined).join(', ')
  if (hasPostcode(first, document.country)) return first
  const [place, behindPlace] = valuesOf('address.city')
  // `BEND, OR | 97702` and `BELEN, | NM 87002`, where nothing else is called a postcode.
  const isCodeBehind =
    /^([A-Z]{2} )?\d{5}(-\d{4})?$/.test(behindPlace?.text ?? '') && partOf('address.postcode') === undefined
  const town = isCodeBehind ? `${place?.text} ${behindPlace?.text}` : place?.text
  // `Lieu-dit La Crouzette`, and the postcode in a box of its own.
  const isNamedStreet = isCodeFirst(document.country) && /^\p{Lu}/u.test(first) && hasStreetWord(first)
  const hasNumber = /\d/.test(first) || (isNamedStreet && partOf('address.postcode') !== undefined)
  if (town === undefined || town === written || !hasNumber || first.includes('?')) return undefined
  const [region, postcode] = hasPostcode(town, document.country)
    ? []
    : [valuesOf('address.region').find(({ text }) => !/\d/.test(text))?.text, partOf('address.postcode')]
  // In Colombia nobody writes it.
  const code = document.country === 'CO' ? undefined : postcode
  const city = trimmed(town)
  const isTownLast = !regionFirst.has(document.country ?? '') && !codeLast.has(document.country ?? '')
  const behind = isTownLast && region !== undefined && /^\p{L}/u.test(region) ? [trimmed(region)] : []
  if (code === undefined) return [first, city, ...behind].join(', ')
  if (regionFirst.has(document.country ?? '')) return `${first}, ${city}, ${trimmed(`${region ?? ''} ${code}`).trim()}`
  if (codeLast.has(document.country ?? '')) return `${first}, ${city}, ${code}`
  return [first, `${code} ${city}`, ...behind].join(', ')
}

const byPlace = new WeakMap<readonly Pair[], Map<string, Pair[]>>()

/** The pairs of the same form: from two lines above a street to eight below it. */
function pairsNear(pairs: readonly Pair[], street: Pair): Pair[] {
  let places = byPlace.get(pairs)
  if (!places) {
    places = groupBy(pairs, ({ page, index }) => `${page} ${index}`)
    byPlace.set(pairs, places)
  }
  const indices = Array.from({ length: 11 }, (_, at) => street.index - 2 + at)
  return indices.flatMap((index) =>
    (places.get(`${street.page} ${index}`) ?? []).filter(
      ({ cell }) => index !== street.index || cell.left >= street.cell.left,
    ),
  )
}

const regionFirst = new Set(['US', 'CA', 'AU'])
const codeLast = new Set(['GB', 'IE', 'NZ', 'ZA'])

/** The last line of most addresses: a postcode at its end, or at its beginning where towns follow it. */
export function hasPostcode(line: string, country: string | null): boolean {
  const end = line.slice(-12)
  return (
    /\d{5}(-\d{4})?$/.test(end) ||
    /[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}$/.test(end) ||
    /[A-Z]\d[A-Z] ?\d[A-Z]\d$/.test(end) ||
    /[A-Z]\d[\dW] [A-Z\d]{4}$/.test(end) ||
    /\p{L} \d{4}$/u.test(end) ||
    (isCodeFirst(country) && /(^|, |[A-Z]-)\d{4,5} \p{Lu}[\p{L} .'’()/-]+$/u.test(line))
  )
}

function trimmed(part: string): string {
  return part.replace(/[\s,;]+$/, '').replace(/(?<=\p{L}{3}|\d[A-Z]{2}|\d{4}|[A-Z\d]{4})\.$/u, '')
}

const onlyCode = /^(?:[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[\dW] [A-Z\d]{4})$/

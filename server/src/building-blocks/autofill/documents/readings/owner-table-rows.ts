// The rows of tables of owners: what each says of a person or a company.
import type { Cell, Line } from '../formats/document-text.ts'
import { wordsOf } from '../words/phrases.ts'
import { nothing } from '../words/vocabulary.ts'
import { datesIn, isoOf } from './dates.ts'
import { isEmail } from './identifiers.ts'
import { type Column, diluted } from './owner-table-heads.ts'
import type { CompanyOwner, Person } from './owners.ts'
import {
  fieldOfHeader,
  isCompany,
  isFormer,
  isRole,
  type PersonName,
  splitName,
  withoutTitles,
} from './person-names.ts'
import { overlap, type PlacedLine, placeOf, type ReadDocument } from './places.ts'

export function rowOf(
  { country }: ReadDocument,
  header: Line,
  columns: readonly Column[],
  line: PlacedLine,
): { person?: Person; company?: CompanyOwner; is_bare: boolean } {
  const person: Person = { doubts: [], place: placeOf(line) }
  let name = ''
  let nameLabel = ''
  let isBare = false
  for (const cell of line.cells) {
    const ranked = header.map((one, index) => ({
      index,
      shared: overlap(one, cell),
      distance: Math.abs(one.left - cell.left),
    }))
    const best = ranked.sort((a, b) => b.shared - a.shared || a.distance - b.distance)[0]
    const field = best ? columns[best.index] : undefined
    // `1 GORDON P YODER`, but `7 Seas Trust LLC`
    const isCounted =
      field === 'name' && line.cells.length > 1 && /^\d{1,2}[.)]?\s+\p{Lu}[^\d]+$/u.test(cell.text.trim())
    const bareName = cell.text.trim().replace(/^\d+[.)]?\s+/, '')
    const text = isCounted && !isCompany(bareName) ? bareName : cell.text.trim()
    if (!field || text.length > 200) continue
    if (field === 'name') {
      // `Managing director | yes` beside `Name | Ann Lee`.
      if (name !== '' && nothing.has(wordsOf(text).join(' '))) continue
      nameLabel = header[best?.index ?? 0]?.text ?? ''
      // `Ann Lee` over `Bob Ray` in one cell: two people, or a long name.
      const { lines = [] } = cell
      const first = nameOverMore(lines, country)
      if (first !== undefined) {
        name = name === '' ? first : `${name} ${first}`
        const [email, role] = [lines.slice(1).find(isEmail), lines.slice(1).find(isRole)]
        if (email !== undefined) person.email ??= email
        if (role !== undefined) person.role ??= role
        continue
      }
      if (lines.length > 1 && lines.join(' ') === text && lines.every((one) => splitName(one, country)))
        person.doubts.push('number')
      name = name === '' ? text : `${name} ${text}`
    } else if (field === 'ownership_percent') {
      const share = shareIn(text)
      const isDiluted = diluted.test(header[best?.index ?? 0]?.text ?? '')
      // Who holds warrants alone owns nothing yet.
      const isSecond = columns.indexOf('ownership_percent') !== best?.index
      // `Ending capital` may be an amount.
      const isAmount = !share?.has_sign && /\bending\b/i.test(header[best?.index ?? 0]?.text ?? '')
      if (!share || isAmount || (isDiluted && isSecond)) continue
      // `Issued %` stands before `Fully diluted %`: the first is what a person owns today.
      person.ownership_percent ??= share.value
      isBare ||= !share.has_sign && !(header[best?.index ?? 0]?.text ?? '').includes('%')
    } else if (field === 'email') {
      if (isEmail(text)) person.email = text
    } else if (field === 'birth_date') {
      const [date] = datesIn(text, country)
      if (date?.day !== undefined && date.year > 0) person.birth_date = isoOf(date)
    } else if (field === 'role') Object.assign(person, roleIn(cell, header[columns.indexOf('birth_date')], country))
    else person[field] = text
  }
  // Who holds nothing is no owner any more.
  if (isFormer(line.text) || Number(person.ownership_percent ?? 1) === 0) person.doubts.push('owner')
  const whole = name === '' ? `${person.first_name ?? ''} ${person.last_name ?? ''}`.trim() : name
  if (isCompany(whole)) {
    const share = person.ownership_percent
    return {
      company: { name: whole, ...(share !== undefined && { ownership_percent: share }), place: person.place },
      is_bare: isBare,
    }
  }
  if (name !== '') {
    const [own = '', role] = name.split(/\s[–-]\s|,\s(?=\p{L}+$)/u)
    const split = nameIn(role !== undefined && isRole(role) ? own : name, person, country, nameLabel)
    if (role !== undefined && isRole(role)) person.role ??= role
    if (!split) return { is_bare: isBare }
    Object.assign(person, split)
  } else {
    const parts = namesOf(person)
    if (!splitName(`${parts.first_name} ${parts.last_name}`, country)) return { is_bare: isBare }
    Object.assign(person, parts)
  }
  return { person, is_bare: isBare }
}

/** `1 KOH WEI JIE` over `S1234567A`, or `Ann Lee` over `Director`: the name alone. */
function nameOverMore(lines: readonly string[], country: string | null): string | undefined {
  const isMore = (text: string) =>
    (/\d/.test(text) && !/\b(?:19|20)\d\d\b/.test(text) && datesIn(text, country).length === 0) ||
    isEmail(text) ||
    isRole(text)
  const end = lines.findIndex((text, at) => at > 0 && isMore(text))
  if (end === -1 || !lines.slice(end).every(isMore)) return undefined
  const name = lines
    .slice(0, end)
    .join(' ')
    .replace(/^\d{1,2}[.)]?\s+(?=\p{Lu})/u, '')
  return isCompany(name) || splitName(name, country) !== undefined ? name : undefined
}

/** What a cell below `Position` says; `Managing Director 22/10/1976` may stand below two headings. */
function roleIn(cell: Cell, born: Cell | undefined, country: string | null): Partial<Person> {
  const text = cell.text.trim()
  if (!/^\p{L}[\p{L} ]+ \d{1,2}[./]\d{1,2}[./](?:19|20)\d\d$/u.test(text)) {
    // `Name` below `Position held` is the label of the next person.
    const isLabel = fieldOfHeader(text) !== undefined
    return isRole(text) || (!isLabel && /\p{L}{2}/u.test(text) && !/\d{2}/.test(text)) ? { role: text } : {}
  }
  const [date] = datesIn(text, country)
  const role = text.replace(/\s\S+$/, '')
  const isBorn = date?.day !== undefined && born !== undefined && overlap(born, cell) > 0
  return { ...(isRole(role) && { role }), ...(isBorn && { birth_date: isoOf(date) }) }
}

/** `Mag. Katharina` has a title, and `d'Entremont` is one name. */
function namesOf({ first_name = '', last_name = '' }: Person): PersonName {
  return { first_name: withoutTitles(first_name), last_name: withoutTitles(last_name) }
}

/** `Hofmann, Dr. Katrin, geb. 12.05.1974`: a name and what follows it. */
function nameIn(text: string, person: Person, country: string | null, label: string): PersonName | undefined {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const isWhole = /\d|^\p{Ll}/u.test(parts[1] ?? '')
  if (parts.length < 3 && !isWhole) return splitName(text, country, label)
  const [date] = datesIn(parts.slice(isWhole ? 1 : 2).join(', '), country)
  if (date?.day !== undefined && date.year > 0) person.birth_date ??= isoOf(date)
  // `Katrin Hofmann, geb. 12.05.1974, Kempten` has its name before the first comma.
  return splitName(isWhole ? (parts[0] ?? '') : `${parts[0]}, ${parts[1]}`, country, label)
}

/** `60 %`, `60`, `60,00`: the share as a number, with a point. */
function shareIn(text: string): { value: string; has_sign: boolean } | undefined {
  const match = /^\s*(\d{1,3}(?:[.,]\d{1,16})?)\s*(%|percent|prozent)?\s*$/i.exec(text)
  if (!match) return undefined
  const written = (match[1] ?? '').replace(',', '.')
  // `42.1052631578947%`, as a spreadsheet has calculated it.
  const value = /\.\d{7}/.test(written) ? String(Number(Number(written).toFixed(4))) : written
  return Number(value) <= 100 ? { value, has_sign: match[2] !== undefined } : undefined
}

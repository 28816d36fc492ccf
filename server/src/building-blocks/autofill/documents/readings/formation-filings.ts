// What founds a company in the United States: articles or a certificate, with the stamp of the office that has filed them
// above the title, and sentences that the law prescribes.
import { hasPostcode } from './addresses.ts'
import { isSubject, mentionsSubject, type Names } from './company-names.ts'
import { datesIn, isoOf } from './dates.ts'
import type { Parties } from './parties.ts'
import { overlap, type PlacedLine, placeOf, type ReadDocument } from './places.ts'
import type { Reading } from './reading.ts'

const titleLines = 15
const mostLines = 60
const linesToName = 8
const title = /^(?:articles of (?:incorporation|organization)|certificate of incorporation)(?:\s+(?:of|for)\b.*)?$/i
/** What is filed later, and tells of a company that is there. */
const later =
  /\b(?:amend(?:ed|ment|ments)?|restate(?:d|ment)|correction|merger|surviving|dissolution|conversion|foreign|change of|annual report|on file|on record)\b/i
const otherForms = /\b(?:non-?\s?profit|not[- ]for[- ]profit|co-?operative|benefit corporation)\b/i
const stamp = /^\W?(?:date (?:and time )?)?filed\b/i
const fileNumber = /(?:^|\s-\s)(?:file|filing|entity id|id) (?:number|no\.?)[:\s#]*(\d{6,12})\s*$/i
const office =
  /\bregistered office(?: of (?:the|this) (?:corporation|company))?(?: in the state of \p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)?)? is(?: located)?(?: at)?:?\s+(?=\d)/iu
/** An address in a sentence has no more. */
const longestAddress = 140

export function readFormation({ pages, country }: ReadDocument, { is_register, names }: Parties): Reading[] {
  const lines = (pages[0]?.lines ?? []).filter(({ cells }) => cells.length > 0).slice(0, mostLines)
  const at = lines
    .slice(0, titleLines)
    .findIndex(({ cells }) => cells.length <= 2 && cells.some(({ text }) => title.test(text.trim())))
  const heading = lines[at]
  if (country !== 'US' || !is_register || !heading || !isOfSubject(lines.slice(at, at + linesToName), names)) return []
  if (lines.slice(0, titleLines).some(({ text }) => later.test(text))) return []
  const above = lines.slice(0, at)
  const read = (fact: string, value: string, line: PlacedLine): Reading => ({
    fact,
    value,
    label: heading.text,
    doubts: [],
    place: placeOf(line),
  })
  const form = /organization/i.test(heading.text) ? 'LLC' : 'Corporation'
  return [
    ...(lines.some(({ text }) => otherForms.test(text)) ? [] : [read('business.legal_form', form, heading)]),
    ...above.flatMap((line, index) =>
      dayOfStamp(line, above[index + 1], country).map((day) => read('business.founded_on', day, line)),
    ),
    ...above.flatMap((line) =>
      line.cells.flatMap(({ text }) => {
        const number = fileNumber.exec(text)?.[1]
        return number === undefined ? [] : [read('business.registration_number', number, line)]
      }),
    ),
    ...lines.flatMap((line, index) => {
      const address = officeIn(lines.slice(index, index + 3), country)
      return address === undefined ? [] : [read('business.registered_address', address, line)]
    }),
  ]
}

/** The first name below the title is that of the company: an incorporator stands further down. */
function isOfSubject([heading, ...lines]: readonly PlacedLine[], names: Names): boolean {
  const [, behind = ''] = /^(?:articles|certificate) of \w+ (?:of|for)\s+(.*)$/i.exec(heading?.text.trim() ?? '') ?? []
  if (mentionsSubject(behind, names)) return true
  const next = lines.find(
    ({ text }) => !/^(?:of|for)$|limited liability company$|corporation$|^filed\b/i.test(text.trim()),
  )
  const text = next?.text ?? ''
  const [label = '', ...value] = text.replace(/^\s{0,9}first:/i, '').split(':')
  return isSubject(text, names) || (/\bname\b/i.test(label) && isSubject(value.join(':').trim(), names))
}

/** `FILED 10:42 AM 02/21/2018`, or `FILED` over `Date: March 18, 2019`. */
function dayOfStamp({ cells }: PlacedLine, below: PlacedLine | undefined, country: string | null): string[] {
  return cells.flatMap((cell) => {
    if (!stamp.test(cell.text.trim())) return []
    const isBare = /^\W?filed\W?$/i.test(cell.text.trim())
    const [date, ...more] = datesIn(
      (isBare ? below?.cells.find((one) => overlap(one, cell) > 0) : cell)?.text ?? '',
      country,
    )
    return date?.day === undefined || date.year === 0 || more.length > 0 ? [] : [isoOf(date)]
  })
}

/** `The address of the registered office in the State of Delaware is 850 Silver Lake Boulevard, Dover, Delaware 19904.` */
function officeIn(lines: readonly PlacedLine[], country: string | null): string | undefined {
  const text = lines.map((line) => line.text).join(' ')
  const found = office.exec(text)
  // It begins in the first of them.
  if (!found || found.index >= (lines[0]?.text.length ?? 0)) return undefined
  const rest = text.slice(found.index + found[0].length)
  const [address = ''] = rest.slice(0, longestAddress).split(/(?<=\d{5}(?:-\d{4})?)(?=[.;,\s])/)
  return hasPostcode(address, country) && !/[.;:]\s/.test(address) ? address : undefined
}

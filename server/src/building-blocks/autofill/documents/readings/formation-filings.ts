// What founds a company in the United States: articles or a certificate, with the stamp of the office that has filed them
// and sentences that the law prescribes.
import { hasPostcode } from './addresses.ts'
import { datesIn, isoOf } from './dates.ts'
import type { Parties } from './parties.ts'
import { overlap, type PlacedLine, placeOf, type ReadDocument } from './places.ts'
import type { Reading } from './reading.ts'

const titleLines = 15
const mostLines = 60
const title =
  /^(?:(?:amended|restated|and)\s)*(?:articles of (incorporation|organization)|certificate of (incorporation))\b/i
const stamp = /^\W?(?:date (?:and time )?)?filed\b/i
const fileNumber = /\b(?:file|filing|entity id|id) (?:number|no\.?)[:\s#]*(\d{6,12})\s*$/i
const office = /\b(?:address of the )?registered office\b[^.;]{0,90}?\bis(?: located at| at)?:?\s+(?=\d)/i
/** An address in a sentence has no more. */
const longestAddress = 140

export function readFormation({ pages, country }: ReadDocument, { is_register, standing }: Parties): Reading[] {
  const lines = (pages[0]?.lines ?? []).filter(({ cells }) => cells.length > 0).slice(0, mostLines)
  const head = lines.slice(0, titleLines)
  const at = head.findIndex(({ cells }) => cells.length <= 2 && cells.some(({ text }) => title.test(text.trim())))
  const heading = head[at]
  if (country !== 'US' || !is_register || !heading || (standing !== 'titled' && standing !== 'named')) return []
  // Who changes its articles was there before.
  if (/\b(?:amend|amended|amendment|restated)\b/i.test(heading.text)) return []
  const read = (fact: string, value: string, line: PlacedLine): Reading => ({
    ...{ fact, value, label: heading.text, doubts: [], place: placeOf(line) },
  })
  const [form] = heading.cells.flatMap(({ text }) => title.exec(text.trim()) ?? []).slice(1)
  const isNonprofit = lines.some(({ text }) => /\bnon-?profit|not[- ]for[- ]profit\b/i.test(text))
  return [
    ...(isNonprofit
      ? []
      : [read('business.legal_form', form === undefined || /inc/i.test(form) ? 'Corporation' : 'LLC', heading)]),
    ...head.flatMap((line, index) =>
      dayOfStamp(line, head[index + 1], country).map((day) => read('business.founded_on', day, line)),
    ),
    ...head.flatMap((line) =>
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

/** `FILED 10:42 AM 02/21/2018`, or `FILED` over `Date: March 18, 2019`. */
function dayOfStamp({ cells }: PlacedLine, below: PlacedLine | undefined, country: string | null): string[] {
  return cells.flatMap((cell) => {
    if (!stamp.test(cell.text.trim())) return []
    const under = /^\W?filed\W?$/i.test(cell.text.trim())
      ? below?.cells.find((one) => overlap(one, cell) > 0)
      : undefined
    const [date, ...more] = datesIn((under ?? cell).text, country)
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

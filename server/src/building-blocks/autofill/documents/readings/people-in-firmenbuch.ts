// Partners in an extract of the Austrian register of companies: below `GESELLSCHAFTER/IN` each has a letter, a name and a day
// of birth; what each has put in stands beside or below the name, and comes to the capital. Partners of a partnership
// put nothing in that the register knows.
import { datesIn, isoOf } from './dates.ts'
import { isFirmenbuch } from './firmenbuch.ts'
import { numbersIn } from './numbers.ts'
import type { CompanyOwner, Owners, Person } from './owners.ts'
import { isCompany, splitName } from './person-names.ts'
import { type PlacedLine, placeOf, type ReadDocument } from './places.ts'

const mostRows = 60
/** In one line or in two, with the first partner beside it or below. */
const heading = /^(?:UNBESCHRÄNKT HAFTENDE\/R(?: GESELLSCHAFTER\/IN)?|GESELLSCHAFTER\/IN)(?=\s{2}|$)/
const nextHeading = /^(?:-{3}|[A-ZÄÖÜ][A-ZÄÖÜ/ ]{7,}|Summen?\b)/
const holder =
  /(?:^|\s)[A-Z]{1,2}\s+(\p{Lu}[^\d]{2,80}?)(?:,\s*geb\.\s*(\d{1,2}\.\d{1,2}\.\d{4}))?,?(?=\s{2}|\s*EUR|\s*$)/u

type Holder = (Person | CompanyOwner) & { amount?: number }

export function peopleInFirmenbuch(document: ReadDocument): Owners {
  const { pages, country, mark } = document
  const nobody: Owners = { people: [], companies: [] }
  const lines = pages.flatMap((page) => page.lines)
  // What was struck out is listed in those with history.
  const hasHistory = lines.slice(0, 8).some(({ text }) => /historisch/i.test(text))
  if (!isFirmenbuch(document) || hasHistory) return nobody
  const at = lines.findIndex(({ text }) => heading.test(text))
  if (at === -1) return nobody
  const holders: Holder[] = []
  for (const [index, line] of lines.slice(at, at + mostRows).entries()) {
    if (line.cells.length === 0 || line.text.trim().startsWith('#')) continue
    const text = index < 2 ? line.text.replace(heading, '') : line.text
    if (nextHeading.test(text) && !/^STAMMEINLAGE/.test(text)) break
    if (/\bgelöscht\b/i.test(text)) holders.pop()
    const own = holderIn(line, text, country)
    if (own) holders.push(own)
    const last = holders.at(-1)
    const [amount] = /\bEUR\b/.test(line.text) ? numbersIn(line.text.slice(line.text.indexOf('EUR')), mark) : []
    if (last && amount) last.amount ??= Number(amount.value)
  }
  const sum = holders.reduce((total, { amount = 0 }) => total + amount, 0)
  const isPaidIn = holders.every(({ amount }) => amount !== undefined)
  // Somebody without a contribution beside those who have one is no partner, or was not understood.
  if (sum > 0 && (!isPaidIn || !isCapital(lines, sum, mark))) return nobody
  // Who owns what of a partnership, the register does not say.
  for (const one of holders)
    if (sum === 0 && 'doubts' in one) one.doubts.push('number')
    else if (isPaidIn && sum > 0) one.ownership_percent = String(Number(((100 * (one.amount ?? 0)) / sum).toFixed(4)))
  return {
    people: holders.flatMap((one) => ('doubts' in one ? [one] : [])),
    companies: holders.flatMap((one) => ('doubts' in one ? [] : [one])),
  }
}

function holderIn(line: PlacedLine, text: string, country: string | null): Holder | undefined {
  const [, name = '', born = ''] = holder.exec(text.replace(/\.{3,}|\s\(FN [^()]*\)/g, ' ')) ?? []
  const split = splitName(name.replace(/,?\s(?:MBA|MSc|BSc|MA|BA|LL\.?M\.?|PhD)$/, ''), country)
  if (split && !isCompany(name)) {
    const [date] = datesIn(born, country)
    const birth = date?.day === undefined ? {} : { birth_date: isoOf(date) }
    return { ...split, ...birth, is_owner: true, doubts: [], place: placeOf(line) }
  }
  return name === '' ? undefined : { name: name.replace(/,\s*$/, ''), place: placeOf(line) }
}

/** `KAPITAL  1  EUR 35.000`, in one line or in two. */
function isCapital(lines: readonly PlacedLine[], sum: number, mark: ReadDocument['mark']): boolean {
  const at = lines.findIndex(({ text }) => /^(?:\d{1,3}\s+)?(?:stamm|grund)?kapital\b/i.test(text))
  const text = lines
    .slice(at, at + 3)
    .map((line) => line.text)
    .join('  ')
  return at !== -1 && numbersIn(text, mark).some(({ value }) => Number(value) === sum)
}

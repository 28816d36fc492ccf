// Shareholders in a British confirmation statement: `Shareholding 1: 110 ORDINARY shares held as at the date of this
// confirmation statement`, and below it `Name: ANN LEE`. Their parts are known where they come to all there is.
import type { Owners } from './owners.ts'
import { isCompany, splitName } from './person-names.ts'
import { type PlacedLine, placeOf, type ReadDocument } from './places.ts'
import { giveParts } from './share-counts.ts'

const reach = 6
const holding = /^Shareholding \d{1,3}:?\s+(\d[\d,]*) (.{0,60})shares held as at the date/i
const totalOfShares = /(?:^|\s)Total number of shares( allotted)?:?\s+(\d[\d,]*)$/i

export function peopleOnConfirmations({ pages, country }: ReadDocument): Owners {
  const lines = pages.flatMap((page) => page.lines)
  const found: Owners = { people: [], companies: [] }
  const classes = new Set<string>()
  let isJoint = false
  for (const [index, line] of lines.entries()) {
    const [, held, kind = ''] = holding.exec(line.text) ?? []
    const count = countIn(held)
    // Who holds none any more is listed too.
    if (count === undefined || count === 0) continue
    const below = lines.slice(index + 1, index + reach)
    const end = below.findIndex(({ text }) => /^Shareholding \d/i.test(text))
    const [named, ...others] = (end === -1 ? below : below.slice(0, end)).filter(({ text }) => /^Name:/i.test(text))
    isJoint ||= others.length > 0
    classes.add(kind.trim().toUpperCase())
    const name = named?.text.replace(/^Name:\s*/i, '') ?? ''
    const split = splitName(name, country)
    const owner = { share_count: count, place: placeOf(named ?? line) }
    if (isCompany(name)) found.companies.push({ name, ...owner })
    else if (split) found.people.push({ ...split, ...owner, doubts: [], is_owner: true })
    else return { people: [], companies: [] }
  }
  // Shares of several kinds, and those of two people together, say nothing of anybody's part.
  // Preference shares are paid back, and are no part of the company.
  const isOrdinary = [...classes].every((kind) => !/\b(?:PREF|REDEEM|DEFER)/.test(kind))
  const isComparable = classes.size <= 1 || (isOrdinary && isOfOneValue(lines))
  return withShares(found, isJoint || !isComparable ? undefined : totalIn(lines))
}

/** `Class of Shares: A | Number allotted 800`, and `Aggregate nominal value: 80` below it: a share of each is worth as much. */
function isOfOneValue(lines: readonly PlacedLine[]): boolean {
  const values = lines.flatMap(({ text }, index) => {
    const count = countIn(/^Class of Shares:.*Number allotted:?\s+(\d[\d,]*)$/i.exec(text)?.[1])
    const below = /Aggregate nominal value:?\s+(\d[\d,.]*)$/i.exec(lines[index + 1]?.text ?? '')?.[1]
    return count ? [below === undefined ? Number.NaN : countIn(below) / count] : []
  })
  return values.length > 1 && values.every((value) => Math.abs(value - (values[0] ?? 0)) < 1e-9)
}

function withShares(found: Owners, total: number | undefined): Owners {
  const all = [...found.people, ...found.companies]
  const sum = all.reduce((count, owner) => count + (owner.share_count ?? 0), 0)
  if (sum === 0 || sum !== total) {
    for (const person of found.people) person.doubts.push('number')
    return found
  }
  giveParts(all, sum)
  return found
}

function totalIn(lines: readonly PlacedLine[]): number | undefined {
  const totals = new Set(lines.flatMap(({ text }) => countIn(totalOfShares.exec(text)?.[2]) ?? []))
  return totals.size === 1 ? [...totals][0] : undefined
}

function countIn(text: string): number
function countIn(text: string | undefined): number | undefined
function countIn(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text.replaceAll(',', ''))
}

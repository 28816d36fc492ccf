// `FY2025: revenue $1,386,240, net profit $71,905`: the year stands once, before all that is told of it. Here each of them
// has it, and a cell of its own.
import type { Cell, Line } from '../formats/document-text.ts'
import { signs } from '../words/figure-words.ts'
import { wordsOf } from '../words/phrases.ts'
import { labels } from '../words/vocabulary.ts'

const longest = 300
const year = /^(?:[-–•*]\s+)?((?:\p{L}+\.?\s?){0,2}20\d\d)\s?:\s+(?=\p{L})/u
/** A comma inside of a number has no space behind it. */
const between = /[,;]\s+(?=\p{L})/gu
/** Words behind the amount may say that it is planned, of a month or before tax. */
const figure =
  /^(\p{L}[^\d$£€:]{2,50}?)\s?:?\s+((?:[$£€]|[A-Z]{2,3}\$?\s)?\s?[-(]?\d[\d.,' ]*\)?\s?(?:[$£€]|[A-Z]{3}|million|[mkMK])?\.?)$/u
const yearly = new Set(['business.annual_revenue', 'business.annual_profit', 'business.employee_count'])

/** `Revenue 2025: 612,480 net, net profit 38,215`: the year of the first is that of all. */
const yearOfFirst = /^(?:[-–•*]\s+)?(\p{L}[\p{L} ]{2,40})\s(20\d\d)\s?:\s+((?:[$£€]|[A-Z]{3}\s)?\s?\d[^:]*)$/u

export function splitAtYear(cell: Cell): Line {
  const { text, left, right, field } = cell
  const own = field === undefined && text.length <= longest ? text : ''
  const [, first, firstYear, rest = ''] = yearOfFirst.exec(own) ?? []
  const isFirst = first !== undefined && rest.search(between) !== -1
  const head = isFirst ? ['', firstYear] : year.exec(own)
  if (!head) return [cell]
  const told = (
    isFirst ? `${first} ${rest.replace(/\snet(?:to|t)?(?=,|;|$)/i, '')}` : own.slice(head[0]?.length)
  ).split(between)
  const width = (right - left) / told.length
  const before = isFirst ? [] : wordsOf(head[1] ?? '').slice(0, -1)
  const hasLabelBefore = before.length > 0 && labels.at(before, 0)?.length === before.length
  // `Result 2025: turnover £842,000, net profit £22,300`: neither is called a result.
  const when = hasLabelBefore ? /20\d\d/.exec(head[1] ?? '')?.[0] : head[1]
  const cells = told.flatMap((part, index) => {
    const [, label = '', value = ''] = figure.exec(part.trim()) ?? []
    // `net profit 2024 38,215` has a year of its own.
    const isOwnYear = /^(?:19|20)\d\d\s/.test(value)
    const words = wordsOf(label)
    const found = labels.at(words, 0)
    // `loss of £22,300` behind `Net result 2025:` has its label before the year; `net loss of £22,300` is one itself.
    const isLoss = found?.meaning.every((one) => one.certainty === 'sure' && one.is_loss) === true
    const isWhole = found?.length === words.length || (isLoss && signs.joints.has(words.slice(found.length).join(' ')))
    const isSign = told.length === 1 && signs.losses.at(words, 0)?.length === words.length && !isLoss
    const isYearly =
      !isOwnYear &&
      (!hasLabelBefore || (isWhole && !isSign)) &&
      found?.meaning.every(({ fact }) => yearly.has(fact)) === true
    const place = { left: left + index * width, right: left + (index + 1) * width }
    return isYearly ? [{ ...cell, ...place, text: `${label} ${when}: ${value}` }] : []
  })
  return cells.length === told.length ? cells : [cell]
}

// The period of a figure, where it stands neither in its label nor above it: behind the amount, or elsewhere in its line.
import type { Cell } from '../formats/document-text.ts'
import type { Figure } from './figure-numbers.ts'
import type { Context } from './figure-readings.ts'
import { type ReadLabel, readLabel } from './labels.ts'
import { type Period, periodIn } from './periods.ts'
import type { ReadDocument } from './places.ts'

/** `$1,946,380 (year 2025)` */
export function periodBehind({ country }: ReadDocument, { text, number }: Figure): Period | undefined {
  const [, inside = ''] =
    /^\s*\(((?:(?:fiscal |financial )?year|fy|jahr|geschäftsjahr|gj|année|exercice|año|ejercicio)?\s?(?:19|20)\d\d)\)\s*$/i.exec(
      text.slice(number.end),
    ) ?? []
  return inside === '' ? undefined : periodIn(inside, country)
}

/** `Turnover 2025: €1,127,400; profit after tax: €83,615`: the year of the one before it. */
export function yearBefore(
  { document, pair }: Context,
  { fact }: ReadLabel,
  { text: whole, number }: Figure,
): Period | undefined {
  if (pair.relation !== 'behind' || fact !== 'business.annual_profit') return undefined
  // `£83,615 for 2024`
  if (!/^\s?(?:[$£€]|[A-Z]{3})?\.?$/.test(whole.slice(number.end))) return undefined
  const before = pair.line.cells[pair.line.cells.indexOf(pair.cell) - 1]?.text ?? ''
  const [text = ''] = before.split(':')
  const isRevenue = readLabel(text).some((one) => one.fact === 'business.annual_revenue')
  return isRevenue && before.includes(':') ? periodIn(text, document.country) : undefined
}

/** `Fiscal year ended | 2026-03-31 | Sales | 6,915,300` */
export function yearInRow({ document, pair }: Context, { fact }: ReadLabel): Period | undefined {
  if (pair.relation !== 'beside' || fact === 'business.bank_balance') return undefined
  const before = pair.line.cells.slice(0, pair.line.cells.indexOf(pair.cell))
  for (const [index, { text }] of before.entries()) {
    const day = before[index + 1]?.text ?? ''
    const period =
      /\d/.test(text) || !/^[\d./-]{8,10}$/.test(day) ? undefined : periodIn(`${text} ${day}`, document.country)
    if (period?.kind === 'year' && period.end !== undefined) return period
  }
  return undefined
}

/** `Balance of the account | 23,118.64 | on | 31/10/2026` */
export function dayBeside({ document, pair }: Context, { fact }: ReadLabel, cell: Cell): Period | undefined {
  if (fact !== 'business.bank_balance') return undefined
  const behind = pair.value_line.cells.filter(({ left }) => left > cell.left).map(({ text }) => text)
  const period = periodIn(behind.join(' '), document.country)
  const isSaid =
    behind.length === 1 || /^(?:on|at|as (?:of|at)|am|per|zum|au|à la date du|al|a fecha)$/i.test(behind[0] ?? '')
  return period?.kind === 'date' && behind.length <= 2 && isSaid ? period : undefined
}

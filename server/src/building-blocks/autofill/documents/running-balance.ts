import type { DocumentPage } from './document-text.ts'
import { wordsOf } from './fact-labels.ts'
import { amountsIn } from './fact-values.ts'
import type { FoundFact } from './found-fact.ts'

/** The last balance of a list of movements: a column of dates and one of balances. */
export function runningBalances(page: DocumentPage): FoundFact[] {
  return page.tables.slice(0, 50).flatMap((table, index) => {
    const header = (table[0] ?? []).slice(0, 50).map((cell) => wordsOf(cell.slice(0, 60)).join(' '))
    const column = header.findIndex((name) => balanceNames.has(name))
    if (column === -1 || !header.some((name) => name === 'date' || name.endsWith(' date'))) return []
    const last = table.findLastIndex((row, at) => at > 0 && amountsIn(row[column] ?? '').length > 0)
    const [text] = amountsIn(table[last]?.[column] ?? '')
    if (text === undefined) return []
    const place = `page ${page.number}, table ${index + 1}, row ${last + 1}`
    return [{ fact: 'business.bank_balance', text, confidence: 0.55, place }]
  })
}

const balanceNames = new Set(['balance', 'running balance', 'account balance'])

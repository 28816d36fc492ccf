import { type PdfText, writePdf } from '../test/documents/pdf-writer.ts'

/** The statement of a busy account, 45 bookings on each page. */
export function longStatement(pages: number): Buffer {
  let balance = 1_825_040
  return writePdf(
    Array.from({ length: pages }, (_, page) => {
      const texts: PdfText[] = [
        { x: 40, y: 40, text: 'Harrow Vale Bank', is_bold: true },
        { x: 40, y: 56, text: 'Account holder: Brightline Haulage Ltd' },
        { x: 300, y: 56, text: 'Statement period 1 January 2026 to 31 December 2026' },
        { x: 500, y: 40, text: `Page ${page + 1} of ${pages}` },
      ]
      for (let row = 0; row < 45; row++) {
        const amount = ((page * 45 + row) % 7) * 12_345 - 30_000
        balance += amount
        const y = 80 + row * 15
        const right = { y, is_right_aligned: true }
        const number = page * 45 + row
        texts.push({
          x: 40,
          y,
          text: `${String((number % 28) + 1).padStart(2, '0')}/${String((number % 12) + 1).padStart(2, '0')}/2026`,
        })
        texts.push({ x: 120, y, text: `Card payment reference ${100_000 + number}` })
        texts.push({ x: 460, text: money(amount), ...right }, { x: 560, text: money(balance), ...right })
      }
      if (page === pages - 1)
        texts.push({ x: 40, y: 770, text: `Closing balance on 31 December 2026: \u00a3${money(balance)}` })
      return texts
    }),
  )
}

function money(pence: number): string {
  return (pence / 100).toLocaleString('en-GB', { minimumFractionDigits: 2 })
}

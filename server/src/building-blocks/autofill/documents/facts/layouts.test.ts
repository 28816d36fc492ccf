// Labels in every wording, in every layout, with numbers as every country writes them: the value is found wherever it
// stands, and what only looks like it is not.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Cell, DocumentText, Line } from '../formats/document-text.ts'
import { findFacts } from './find-facts.ts'
import type { FoundFact } from './found-fact.ts'

const subject = { legal_name: 'Harbor Lane Bakery, LLC', trading_name: null }
const today = '2026-11-16'

interface Writing {
  country: string
  revenue: string[]
  profit: string[]
  balance: string[]
  staff: string[]
  year: ((year: number) => string)[]
  number(value: number): string[]
}

const grouped = (value: number, mark: string) => String(value).replace(/\B(?=(\d{3})+$)/g, mark)
const writings: Writing[] = [
  {
    country: 'US',
    revenue: [
      'Total revenue',
      'Gross receipts or sales',
      'Net sales',
      'Annual turnover',
      'Revenue from contracts with customers',
    ],
    profit: ['Net income', 'Net profit (loss) for the year', 'Profit after tax', 'Profit for the financial year'],
    balance: ['Closing balance', 'Ending balance', 'Closing ledger balance'],
    staff: ['Number of employees', 'Average number of employees', 'No. of staff', 'Total headcount'],
    year: [
      (year) => `For the year ended December 31, ${year}`,
      (year) => `Fiscal year ${year}`,
      (year) => `January - December ${year}`,
    ],
    number: (value) => [
      grouped(value, ','),
      `$${grouped(value, ',')}`,
      `${grouped(value, ',')}.00`,
      `$ ${grouped(value, ',')}`,
    ],
  },
  {
    country: 'DE',
    revenue: ['Umsatzerlöse', 'Jahresumsatz', 'Nettoerlöse aus Lieferungen und Leistungen', 'Summe der Umsatzerlöse'],
    profit: ['Jahresüberschuss', 'Jahresüberschuss/Jahresfehlbetrag', 'Reingewinn', 'Unternehmensergebnis'],
    balance: ['Neuer Kontostand', 'Endsaldo', 'Schlusssaldo'],
    staff: [
      'Zahl der Beschäftigten',
      'Anzahl der Mitarbeiter',
      'Arbeitnehmer im Jahresdurchschnitt',
      'Personalbestand',
    ],
    year: [
      (year) => `Geschäftsjahr ${year}`,
      (year) => `für die Zeit vom 1. Januar bis 31. Dezember ${year}`,
      (year) => `Jahresabschluss zum 31.12.${year}`,
    ],
    number: (value) => [
      grouped(value, '.'),
      `${grouped(value, '.')},00`,
      `${grouped(value, '.')},00 EUR`,
      `${grouped(value, '.')} €`,
    ],
  },
  {
    country: 'FR',
    revenue: ["Chiffre d'affaires net", "Chiffre d'affaires HT", "Montant net du chiffre d'affaires", 'CA annuel HT'],
    profit: ["Résultat de l'exercice", 'Résultat net comptable', 'BÉNÉFICE OU PERTE', "Bénéfice net de l'exercice"],
    balance: ['Nouveau solde', 'Solde final', 'Solde de clôture'],
    staff: ['Effectif moyen', 'Nombre de salariés', "Effectif moyen de l'exercice", 'Nombre moyen de travailleurs'],
    year: [
      (year) => `Exercice clos le 31/12/${year}`,
      (year) => `Exercice du 01/01/${year} au 31/12/${year}`,
      (year) => `Exercice ${year}`,
    ],
    number: (value) => [
      grouped(value, ' '),
      `${grouped(value, ' ')},00`,
      `${grouped(value, ' ')} €`,
      `${grouped(value, ' ')},00 EUR`,
    ],
  },
  {
    country: 'ES',
    revenue: ['Importe neto de la cifra de negocios', 'Cifra de negocios', 'Ventas netas', 'Total ingresos'],
    profit: [
      'Resultado del ejercicio',
      'Beneficio neto',
      'Utilidad neta del ejercicio',
      'Resultado después de impuestos',
    ],
    balance: ['Saldo final', 'Nuevo saldo', 'Saldo al cierre'],
    staff: ['N.º de empleados', 'Plantilla media', 'Número medio de trabajadores', 'Número de trabajadores'],
    year: [
      (year) => `Ejercicio ${year}`,
      (year) => `Ejercicio cerrado el 31 de diciembre de ${year}`,
      (year) => `Del 1 de enero al 31 de diciembre de ${year}`,
    ],
    number: (value) => [
      grouped(value, '.'),
      `${grouped(value, '.')},00`,
      `${grouped(value, '.')},00 €`,
      `${grouped(value, '.')} EUR`,
    ],
  },
]

const at = (text: string, left: number): Cell => ({ text, left, right: left + 5 * text.length })
const document = (lines: Line[]): DocumentText => ({ pages: [{ number: 1, lines }] })

/** Ways to put a value to its label. */
const layouts: Record<string, (label: string, value: string) => Line[]> = {
  'right of it': (label, value) => [[at(label, 40), at(value, 400)]],
  'behind a colon': (label, value) => [[at(`${label}: ${value}`, 40)]],
  'right of a label with a colon': (label, value) => [[at(`${label}:`, 40), at(value, 400)]],
  'below it': (label, value) => [[at(label, 40)], [at(value, 40)]],
  'below it, in one of two boxes': (label, value) => [
    [at('Principal activity', 40), at(label, 320)],
    [at('Bread and cakes', 40), at(value, 320)],
  ],
  'behind dots': (label, value) => [[at(`${label} . . . . . . . . . . . .`, 40), at(value, 400)]],
  'between underscores': (label, value) => [[at(`${label}: _${value}______`, 40)]],
  'in a numbered form': (label, value) => [[at('12', 20), at(label, 40), at('12', 380), at(value, 420)]],
  'behind a label that runs on': (label, value) => [[at(label, 40), at(value, 400)], [at('of the company', 40)]],
}

const sureOf = (facts: readonly FoundFact[], fact: string) =>
  facts.find((one) => one.fact === `business.${fact}` && one.confidence >= 0.85)?.text.replace(/^(?:[A-Z]{3}|\$) /, '')

const written = fc.constantFrom(...writings)
const layout = fc.constantFrom(...Object.keys(layouts))
const amount = fc.integer({ min: 12_345, max: 98_765_432 })

function anyCase(words: (writing: Writing) => string[]) {
  return written.chain((writing) =>
    fc.record({
      writing: fc.constant(writing),
      label: fc.constantFrom(...words(writing)),
      year: fc.constantFrom(...writing.year),
      layout,
      value: amount,
      format: fc.nat({ max: 3 }),
    }),
  )
}

const heading = (year: (year: number) => string): Line[] => [
  [at('Harbor Lane Bakery LLC', 40)],
  [at(year(2025), 40)],
  [],
]

describe('a figure is found', () => {
  test.each<[string, (writing: Writing) => string[]]>([
    ['annual_revenue', ({ revenue }) => revenue],
    ['annual_profit', ({ profit }) => profit],
  ])('%s, in every wording, layout, number and year', (fact, words) => {
    fc.assert(
      fc.property(anyCase(words), ({ writing, label, year, layout: name, value, format }) => {
        const number = writing.number(value)[format] ?? ''
        const lines = [...heading(year), ...(layouts[name]?.(label, number) ?? [])]
        const { facts } = findFacts(document(lines), { ...subject, country: writing.country }, today)
        expect(sureOf(facts, fact)).toBe(`${value}.00`)
      }),
      { numRuns: 200 },
    )
  })

  test('the number of employees, in every wording and layout', () => {
    fc.assert(
      fc.property(
        anyCase(({ staff }) => staff),
        fc.integer({ min: 2, max: 900 }),
        ({ writing, label, year, layout: name }, count) => {
          // In a numbered form a small number may be that of the line.
          fc.pre(count !== 12)
          const lines = [...heading(year), ...(layouts[name]?.(label, String(count)) ?? [])]
          const { facts } = findFacts(document(lines), { ...subject, country: writing.country }, today)
          expect(sureOf(facts, 'employee_count')).toBe(String(count))
        },
      ),
      { numRuns: 200 },
    )
  })

  test('of years side by side the newest', () => {
    fc.assert(
      fc.property(
        anyCase(({ revenue }) => revenue),
        fc.boolean(),
        ({ writing, label, value, format }, isTurned) => {
          const years = isTurned ? [2024, 2025] : [2025, 2024]
          const numbers = years.map((year) => writing.number(year === 2025 ? value : 11_111)[format] ?? '')
          const lines = [
            [at('Harbor Lane Bakery LLC', 40)],
            [at(String(years[0]), 400), at(String(years[1]), 520)],
            [at(label, 40), at(numbers[0] ?? '', 400), at(numbers[1] ?? '', 520)],
          ]
          const { facts } = findFacts(document(lines), { ...subject, country: writing.country }, today)
          expect(sureOf(facts, 'annual_revenue')).toBe(`${value}.00`)
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('a trap is not filled', () => {
  const traps: [string, (writing: Writing, number: string) => Line[]][] = [
    [
      'a part of a year',
      (writing, number) => [[at('Third quarter 2025', 40)], [at(writing.revenue[0] ?? '', 40), at(number, 400)]],
    ],
    ['a plan', (writing, number) => [[at('Budget 2025', 40)], [at(writing.revenue[0] ?? '', 40), at(number, 400)]]],
    [
      'a year that is not over',
      (writing, number) => [
        [at(writing.year[0]?.(2026) ?? '', 40)],
        [at(writing.revenue[0] ?? '', 40), at(number, 400)],
      ],
    ],
    [
      'a range',
      (writing, number) => [
        [at(writing.year[0]?.(2025) ?? '', 40)],
        [at(writing.revenue[0] ?? '', 40), at(`${number} – ${number}`, 400)],
      ],
    ],
    [
      'two numbers that nothing tells apart',
      (writing, number) => [[at(writing.revenue[0] ?? '', 40), at(number, 400), at(`1${number}`, 560)]],
    ],
    [
      'another company',
      (writing, number) => [
        [at('Legal name: Stonebridge Masonry Ltd', 40)],
        [at(writing.year[0]?.(2025) ?? '', 40)],
        [at(writing.revenue[0] ?? '', 40), at(number, 400)],
      ],
    ],
  ]
  test.each(traps)('%s', (_name, lines) => {
    fc.assert(
      fc.property(written, amount, (writing, value) => {
        const number = writing.number(value)[0] ?? ''
        const isOther = lines(writing, number)[0]?.[0]?.text.startsWith('Legal name') ?? false
        const own = isOther ? [] : [[at('Harbor Lane Bakery LLC', 40)]]
        const { facts } = findFacts(
          document([...own, ...lines(writing, number)]),
          { ...subject, country: writing.country },
          today,
        )
        expect(sureOf(facts, 'annual_revenue')).toBeUndefined()
      }),
      { numRuns: 60 },
    )
  })
})

// The words around figures: of which time they are, in which unit, and with which sign.
import en from './en.json' with { type: 'json' }
import { languages, phrasesOf, setOf } from './languages.ts'
import { createPhrases, fold, namesIn, wordsOf } from './phrases.ts'

export const signs = {
  /** Words before an amount that are its sign. */
  losses: phrasesOf((words) => words.signs.losses),
  /** Between them and the amount: `loss of £22,300`. */
  joints: setOf((words) => words.signs.joints),
  negative: setOf((words) => words.signs.negative),
  positive: setOf((words) => words.signs.positive),
  debit_columns: phrasesOf((words) => words.signs.debit_columns),
  credit_columns: phrasesOf((words) => words.signs.credit_columns),
}

export const scales = new Map([
  ...Object.entries(en.scales.indian),
  ...languages.flatMap(({ scales: { thousand, million, billion } }) =>
    (
      [
        [thousand, 3],
        [million, 6],
        [billion, 9],
      ] as [string[], number][]
    ) // safe because JSON lists hold texts
      .flatMap(([texts, power]) => texts.map((text) => [wordsOf(text).join(' '), power] as const)),
  ),
])
/** `thousands`, `Tsd`, `millones`: a whole word, not a letter such as `k`. */
export const scaleWords = new Set(
  languages.flatMap(({ scales: { thousand, million } }) =>
    [...thousand, ...million]
      .map((text) => wordsOf(text).join(' '))
      .filter((word) => /^\p{L}{3,}$/u.test(word) && !/^mill?e?$/.test(word)),
  ),
)
export const scaleHeadings = createPhrases(() =>
  languages.flatMap(({ scales: { headings_thousand, headings_million, lakh, crore } }) => [
    ...(lakh as string[]).flatMap(namesIn).map((name) => [name, 100_000] as const), // safe because JSON lists hold texts
    ...(crore as string[]).flatMap(namesIn).map((name) => [name, 10_000_000] as const),
    ...headings_thousand.flatMap(namesIn).map((name) => [name, 1_000] as const),
    ...headings_million.flatMap(namesIn).map((name) => [name, 1_000_000] as const),
  ]),
)

/** The names of months as they are written, with and without accents. */
export const monthNames = [
  ...new Set(languages.flatMap(({ periods: { months } }) => months.flat().flatMap((name) => [name, fold(name)]))),
].sort((a, b) => b.length - a.length)

export const periods = {
  months: new Map(
    languages.flatMap(({ periods: { months } }) =>
      months.flatMap((names, index) => names.map((name) => [wordsOf(name).join(' '), index + 1] as const)),
    ),
  ),
  year: phrasesOf((words) => words.periods.year),
  part: phrasesOf((words) => words.periods.part),
  plan: phrasesOf((words) => words.periods.plan),
  actual: phrasesOf((words) => words.periods.actual),
  older: phrasesOf((words) => words.periods.older),
  newer: phrasesOf((words) => words.periods.newer),
  noise: phrasesOf((words) => words.periods.noise),
  between: setOf((words) => words.periods.between),
  /** Before the last day of a year that is not over. */
  until: setOf((words) => words.periods.until),
  titles: phrasesOf((words) => words.periods.titles),
  /** In a title: what it says of its figures holds for all of them. */
  amounts: phrasesOf((words) => words.periods.amounts),
  stamps: phrasesOf((words) => words.periods.stamps),
  /** In the heading of a column: since the year began. */
  to_date: phrasesOf((words) => words.periods.to_date),
  /** In the head of a report: it goes up to the last month of the business year. */
  last_months: phrasesOf((words) => words.periods.last_months),
}

/** `1 May 2025` and `May 2025` are times; `sales may differ` and `2026 may exceed` are sentences. */
export function isMonthOfDate(words: readonly string[], at: number): boolean {
  const [before = '', word = '', behind = ''] = [words[at - 1], words[at], words[at + 1]]
  return periods.months.has(word) && (/^\d{1,2}$/.test(before) || /^(?:\d{1,2}|(?:19|20)\d\d)$/.test(behind))
}

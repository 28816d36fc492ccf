// Labels inside of a text, with what follows them: behind a colon, in a sentence, or in the next sentence.
import type { Cell, Line } from '../formats/document-text.ts'
import { fold, wordsOf } from '../words/phrases.ts'
import { isMisled, labels as labelPhrases } from '../words/vocabulary.ts'
import { colonOf } from './label-cells.ts'
import { type ReadLabel, readLabel, taxAndRegister } from './labels.ts'
import type { FoundPair, Pair } from './pair.ts'
import type { PlacedLine } from './places.ts'
import { isScaleWord } from './units.ts'

export function pairsInText(line: PlacedLine, cell: Cell, text: string): FoundPair[] {
  const colon = colonOf(text)
  const labels = colon === -1 ? [] : readLabel(text.slice(0, colon))
  const rest = cutAtLabel(text.slice(colon + 1).trim())
  if (labels.length === 0 || rest === '') return []
  const pair: FoundPair = {
    labels,
    label_text: text.slice(0, colon),
    values: [{ ...cell, text: rest }],
    relation: 'behind',
    line,
    cell,
    value_line: line,
  }
  const next = text
    .slice(colon + 1)
    .trim()
    .slice(rest.length)
    .trim()
  return next === '' || next.length >= text.length ? [pair] : [pair, ...pairsInText(line, cell, next)]
}

/** `Registered office: 14 Mill Road, Cork. VAT No. IE1234567A.`: each sentence behind the first may begin with a label. */
export function pairsInSentences(line: PlacedLine, cell: Cell, text: string): FoundPair[] {
  const ends = [...text.slice(0, 400).matchAll(/(?<=[\p{L}\d]{2})\.\s+(?=\p{Lu})/gu)]
  const found: FoundPair[] = []
  for (const { index, 0: end } of ends) {
    const sentence = text.slice(index + end.length, index + end.length + 120)
    const inline = inlineValue({ ...cell, text: sentence }, longestIntroduction)
    // `No. IE…` and the like are no sentences of their own.
    if (!inline && /(?:^|\s)\p{L}{1,3}$/u.test(text.slice(0, index))) continue
    // Whatever is no number of a register ends the list: what follows may be somebody else's.
    if (!inline?.labels.every(({ fact, is_exact }) => taxAndRegister.has(fact) && is_exact)) break
    found.push({ ...inline, line, cell, value_line: line, relation: 'inline', before: text.slice(0, index) })
  }
  return found
}

/** `Registered in England and Wales, company no. …` */
const longestIntroduction = 40

/** `Company No. 01234567`, `trading as Best Bread`: a label in a text, and what follows it. */
export function inlineValue(
  { text, left, right }: Cell,
  introduction = 8,
): { labels: readonly ReadLabel[]; label_text: string; values: Line } | undefined {
  if (text.length > 400) return undefined
  const places = [...text.matchAll(/[\p{L}\p{N}]+/gu)]
  const words = places.map(([word]) => wordsOf(word)[0] ?? fold(word))
  for (let begin = 0; begin < words.length; begin++) {
    const found = labelPhrases.at(words, begin)
    if (!found) continue
    const last = places[begin + found.length - 1]
    const from = places[begin]?.index ?? 0
    if (!last) continue
    const end = last.index + last[0].length
    const rest = text.slice(end).replace(/^[\s:.#,)–-]+(?=\S)/u, (gap) => (gap.includes('(') ? gap : ''))
    if (!/[\p{L}\p{N}]/u.test(rest)) return undefined
    // `Anschrift der Wohnung`: the label goes on.
    const isAddress = found.meaning.some(({ fact }) => fact === 'business.registered_address')
    if (isAddress && /^(?:der|des) \p{Lu}/u.test(rest)) return undefined
    // `… is a trading name of Lee Bakery Ltd, company number 123`: what it is about comes behind that.
    if (
      found.meaning.every(({ fact }) => fact === 'business.trading_name') &&
      /^of\s(?!.*\p{L}{2}\.\s+\p{Lu})/u.test(rest)
    ) {
      begin += found.length
      continue
    }
    // The words before decide whether this is a label with a line number or a part of a sentence.
    const copyright = /^©.{3,80}?\.\s/u.exec(text)?.[0].length ?? 0
    const labels = readLabel(text.slice(copyright < from ? copyright : 0, end))
      // `calle Mayor 3` is an address, not a form that asks for the street.
      .filter(
        ({ fact }) => !isMisled(fact, words, begin, found.length) && !(fact.startsWith('address.') && found.length < 3),
      )
      .map((label) => ({ ...label, is_exact: label.is_exact && from <= introduction }))
    if (labels.length > 0)
      return { labels, label_text: text.slice(0, end), values: [{ text: cutAtLabel(rest), left, right }] }
  }
  return undefined
}

/** A long line that ends in `company no.`: the number begins the next one. */
export function runningOn(cell: Cell, next: PlacedLine | undefined): Cell {
  const number = /^[A-Z]{0,2}\d{5,}(?=[\s.,]|$)/.exec(next?.cells[0]?.text ?? '')?.[0]
  const isLong = cell.text.length > 60 && cell.text.length < 300
  const words = wordsOf(cell.text).slice(-4)
  const isAsked = words.some((_, at) => at + (labelPhrases.at(words, at)?.length ?? 0) === words.length)
  return isLong && number !== undefined && isAsked ? { ...cell, text: `${cell.text} ${number}` } : cell
}

/** `Register: Folio 12345, …`: the second label says what the number is. */
export function innerLabel(
  outer: readonly ReadLabel[],
  text: string,
): Pick<Pair, 'labels' | 'label_text' | 'values'> | undefined {
  const inner = inlineValue({ text, left: 0, right: 0 })
  const [fact] = outer.map((label) => label.fact)
  if (!inner || !text.startsWith(inner.label_text)) return undefined
  return inner.labels.some((label) => label.fact === fact && label.certainty === 'sure') ? inner : undefined
}

/** `Acme Ltd Company number: 0123`: the value ends where the next label with a colon begins. */
export function cutAtLabel(text: string): string {
  const colon = colonOf(text)
  if (colon <= 0) return text
  const last = [...text.slice(0, colon).matchAll(/[\p{L}\p{N}]+/gu)].slice(-6)
  const words = last.map(([one]) => wordsOf(one)[0] ?? '')
  for (const [index, word] of last.entries()) {
    const found = labelPhrases.at(words, index)
    if (found && index + found.length === words.length) return text.slice(0, word.index).trim()
  }
  // `Employees: 22 Members: 211`
  const number = /^(\d[\d.,]*)\s+\p{Lu}\p{Ll}+\s?$/u.exec(text.slice(0, colon))?.[1]
  if (number !== undefined && !isScaleWord(text.slice(number.length, colon))) return number
  // `43700 Brives Durée de l’exercice : 12`: one capital and small words before a colon are a label, known or not.
  const label = /\s\p{Lu}[\p{L}’']*(?:\s+\p{Ll}[\p{L}’'-]*){1,6}\s?$/u.exec(text.slice(0, colon))
  return label && /\d/.test(text.slice(0, label.index)) ? text.slice(0, label.index).trim() : text
}

// The address at the end of a line of small print that runs on in the next: `… Registered office: The`, and `Mill, Cork T12
// X4PK. VAT no. …` below it. Here the whole address stands in the first line, and what follows it begins the second.
import type { Cell } from '../formats/document-text.ts'
import { wordsOf } from '../words/phrases.ts'
import { labels, parties } from '../words/vocabulary.ts'
import { hasPostcode } from './addresses.ts'
import { isSureAddress } from './captions.ts'
import { isGiven } from './name-order.ts'
import { type ReadDocument, relined } from './places.ts'

/** Small print runs from edge to edge. */
const shortestLine = 60
const longestAddress = 90
const aligned = 3

export function withWholeOffices(document: ReadDocument): ReadDocument {
  const pages = document.pages.map((page) => {
    const lines = [...page.lines]
    for (const index of page.lines.keys()) {
      const [line, below] = [lines[index], lines[index + 1]]
      const [begin, rest] = [line?.cells.at(-1), below?.cells[0]]
      if (!line || !below || !begin || !rest || line.text.length < shortestLine) continue
      const isBelow = Math.abs((line.cells[0]?.left ?? 0) - rest.left) <= aligned
      const length = isBelow && endsInAddress(begin, document) ? lengthOfAddress(rest.text, document) : 0
      if (length === 0 || isSomebody(rest.text.slice(0, length))) continue
      const whole = { ...begin, text: `${begin.text} ${rest.text.slice(0, length)}` }
      const left = { ...rest, text: rest.text.slice(length).trim() }
      lines[index] = relined(line, [...line.cells.slice(0, -1), whole])
      lines[index + 1] = relined(below, [...(left.text === '' ? [] : [left]), ...below.cells.slice(1)])
    }
    return { ...page, lines }
  })
  return { ...document, pages }
}

/** Whether the last label of a text is that of an address, and the address is not whole. */
function endsInAddress({ text, field }: Cell, { country }: ReadDocument): boolean {
  if (field !== undefined) return false
  const from = Math.max(0, text.length - longestAddress)
  const places = [...text.slice(from).matchAll(/[\p{L}\p{N}]+/gu)]
  const words = places.map(([word]) => wordsOf(word)[0] ?? '')
  let end: number | undefined
  for (let at = 0; at < words.length; at++) {
    const found = labels.at(words, at)
    if (!found) continue
    const last = places[at + found.length - 1]
    end = found.meaning.some(isSureAddress) && last ? from + last.index + last[0].length : undefined
    at += found.length - 1
  }
  const begun = text.slice(end)
  // `13 Address of the head office`, over a box.
  const isBegun = end !== undefined && /^\s?:?\s+[\p{Lu}\d]/u.test(begun) && !/[.;]\s*$|\(/.test(begun)
  return isBegun && !hasPostcode(begun, country)
}

/** `Ann Lee, 22 Grove Street`, `Accountants: …` */
function isSomebody(text: string): boolean {
  const words = wordsOf(text)
  const isOthers = parties.others.in(words) !== undefined || text.includes(':')
  return isOthers || isGiven(words[0]) || /^\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+, \d/u.test(text)
}

/** Up to the end of the sentence, where the last that stands there is a postcode, or a town behind one. */
function lengthOfAddress(text: string, { country }: ReadDocument): number {
  for (const { index, 0: end } of text.slice(0, longestAddress).matchAll(/[.;](?=\s)|[.;]?$/g))
    if (index > 0 && hasPostcode(text.slice(0, index), country)) return index + end.length
  return 0
}

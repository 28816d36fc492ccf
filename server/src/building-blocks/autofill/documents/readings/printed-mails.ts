// E-mails as mail programs print them: `From Ann Lee <ann@lee.example>`, `To | Bob Ray`, or the sender in a line of its own.
// Their heads get the form that saved e-mails have, which every later stage knows.
import { wordsOf } from '../words/phrases.ts'
import { mails } from '../words/vocabulary.ts'
import { type PlacedLine, type ReadDocument, relined } from './places.ts'

const headLines = 8
const sender = /^[^<>@:]{2,60}\s<[^<>\s@]+@[^<>\s]+>$/
const named = /^(\p{L}{1,12})\s([^<>@:]{2,60}\s<[^<>\s@]+@[^<>\s]+>)$/u

export function withPlainHead(document: ReadDocument): ReadDocument {
  const [first, ...others] = document.pages
  const head = (first?.lines ?? []).filter(({ cells }) => cells.length > 0).slice(0, headLines)
  const isNamed = head.some((line) => isSender(line) || headerOf(line, mails.from))
  const isTold = head.some((line) => headerOf(line, mails.to))
  const from = head.findIndex((line, at) => isSender(line) || (!isNamed && isAlone(line) && isHeader(head[at + 1])))
  if (!first || from === -1 || !head.slice(from + 1).some(isHeader)) return document
  const own = new Set(head.slice(from))
  const lines = first.lines.map((line) => {
    const [, word, address] = named.exec(textOf(line)) ?? []
    // Where nobody says who it is to, the address alone may be that of the addressee.
    const alone = isTold ? textOf(line) : textOf(line).replace(/\s<.*$/, '')
    if (line === head[from]) return asHeader(line, isSender(line) ? [word, address] : ['From', alone])
    if (!own.has(line)) return line
    if (isHeader(line) && word !== undefined) return asHeader(line, [word, address])
    return isBare(line)
      ? asHeader(
          line,
          line.cells.map(({ text }) => text),
        )
      : line
  })
  return { ...document, pages: [{ ...first, lines }, ...others] }
}

/** `From Ann Lee <ann@lee.example>` */
function isSender(line: PlacedLine): boolean {
  const [, word = ''] = named.exec(textOf(line)) ?? []
  return mails.from.has(wordsOf(word).join(' '))
}

/** `Ann Lee <ann@lee.example> | 10 November 2026` */
function isAlone({ cells }: PlacedLine): boolean {
  const [own, date, ...more] = cells
  return (
    own !== undefined &&
    more.length === 0 &&
    sender.test(own.text) &&
    (date === undefined || /\d{4}|\d:\d\d/.test(date.text))
  )
}

/** `To: Bob Ray`, `To | Bob Ray`, `To Bob Ray <bob@ray.example>` */
function isHeader(line: PlacedLine | undefined): boolean {
  return line !== undefined && (isBare(line) || headerOf(line, mails.headers))
}

function headerOf(line: PlacedLine, words: ReadonlySet<string>): boolean {
  const said = /^\p{L}{1,12}(?=\s?:)/u.exec(line.text)?.[0] ?? named.exec(textOf(line))?.[1] ?? ''
  return words.has(wordsOf(said).join(' ')) || (isBare(line) && words.has(wordsOf(textOf(line)).join(' ')))
}

function isBare({ cells }: PlacedLine): boolean {
  const [first, ...more] = cells
  return first !== undefined && more.length > 0 && mails.headers.has(wordsOf(first.text).join(' '))
}

function textOf({ cells }: PlacedLine): string {
  return cells[0]?.text ?? ''
}

function asHeader(line: PlacedLine, [name = '', ...rest]: readonly (string | undefined)[]): PlacedLine {
  const [first] = line.cells
  return first
    ? relined(line, [{ ...first, text: `${name}: ${rest.join(' ')}`, right: line.cells.at(-1)?.right ?? first.right }])
    : line
}

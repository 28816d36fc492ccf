// Reads CSV as people save it: with commas, semicolons or tabs, quoted or not.
import { decodeText } from './decode-text.ts'
import { createTextCollector, type DocumentText, joinLines } from './document-text.ts'

export function readCsv(bytes: Buffer): DocumentText {
  const text = decodeText(bytes)
  const separator = separatorOf(text)
  const collector = createTextCollector()
  collector.beginPage()
  let row: string[] = []
  let position = 0
  while (position < text.length && !collector.isFull()) {
    const field = readField(text, position, separator)
    row.push(joinLines(field.text))
    position = field.end
    if (text[position] === separator) {
      position++
      // A separator at the very end still opens a last, empty field.
      if (position < text.length) continue
      row.push('')
    }
    collector.addRow(row)
    row = []
    position = afterLineEnd(text, position)
  }
  return collector.finish()
}

interface Field {
  text: string
  /** The place of the separator or line end behind it. */
  end: number
}

function readField(text: string, begin: number, separator: string): Field {
  if (text[begin] !== '"') {
    const end = nextOf(text, begin, separator)
    return { text: text.slice(begin, end), end }
  }
  const parts: string[] = []
  let position = begin + 1
  while (position < text.length) {
    const quote = text.indexOf('"', position)
    if (quote === -1) return { text: parts.join('') + text.slice(position), end: text.length }
    parts.push(text.slice(position, quote))
    if (text[quote + 1] !== '"') {
      // What follows a closing quote is kept: better a strange cell than a lost one.
      const end = nextOf(text, quote + 1, separator)
      return { text: parts.join('') + text.slice(quote + 1, end), end }
    }
    parts.push('"')
    position = quote + 2
  }
  return { text: parts.join(''), end: text.length }
}

function nextOf(text: string, from: number, separator: string): number {
  for (let index = from; index < text.length; index++) {
    const character = text[index]
    if (character === separator || character === '\n' || character === '\r') return index
  }
  return text.length
}

function afterLineEnd(text: string, position: number): number {
  return position + (text[position] === '\r' && text[position + 1] === '\n' ? 2 : 1)
}

/** The separator that the first lines agree on best. */
function separatorOf(text: string): string {
  const head = text.slice(0, 20_000).replace(/"[^"]*"/g, '')
  const lines = head.split(/\r?\n/, 20).filter((line) => line.trim() !== '')
  let best = ','
  let bestScore = 0
  for (const separator of [',', ';', '\t']) {
    const counts = lines.map((line) => line.split(separator).length - 1)
    // Lines that all have it say more than one line that has many.
    const score = counts.filter((count) => count > 0).length * 1000 + Math.min(999, Math.max(0, ...counts))
    if (Math.max(0, ...counts) > 0 && score > bestScore) {
      best = separator
      bestScore = score
    }
  }
  return best
}

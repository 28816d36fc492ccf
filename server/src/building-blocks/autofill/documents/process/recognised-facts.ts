// Facts from a picture are believed only where OCR was sure of every word in their line, or surer still of those that hold
// them. The limits are measured: decision 0025 has the figures.
import { confidences } from '../../confidence.ts'
import type { FoundFact } from '../facts/found-fact.ts'
import { type DocumentText, type Line, textOf } from '../formats/document-text.ts'

/** How sure OCR must be of the least sure word. */
const sureEnough = 0.85
/** And of the words of the value, where others in its line are not sure. */
const sureValue = 0.9
/** One letter or accent that was read wrong makes them wrong, and nothing in them shows it. */
const spelled = new Set(['business.registered_address', 'business.email', 'business.website'])
/** What the edges of boxes and rules are read as; they hide or add a digit. */
const edges = /[[\]{}|\\~_<>]/
/** Among digits, these letters are often digits themselves. */
const unclearLetters = /\d[OIl]|[OIl]\d|\d[SBZ]\d/
const numbers = new Set(['business.tax_id', 'business.registration_number'])

export function doubtRecognised(facts: readonly FoundFact[], { pages }: DocumentText): FoundFact[] {
  return facts.map((found) => {
    const line = pages.find(({ number }) => number === found.page)?.lines[found.line - 1] ?? []
    const sureness = surenessOf(line)
    const isFromText = sureness === undefined
    const isUnclear = spelled.has(found.fact) || (numbers.has(found.fact) && unclearLetters.test(found.text))
    const own = cellsOf(line, found.text)
    const isSureLine = !isFromText && sureness >= sureEnough && !edges.test(textOf(line))
    const isSureValue = own.length > 0 && (surenessOf(own) ?? 0) >= sureValue && !edges.test(textOf(own))
    const isSure = isFromText || (!isUnclear && (isSureLine || isSureValue))
    return isSure ? found : { ...found, confidence: Math.min(found.confidence, confidences.recognised) }
  })
}

/** The cells that hold a value, by its letters and digits. */
function cellsOf(line: Line, value: string): Line {
  const bare = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  const whole = bare(value.replace(/^[A-Z$£€]{1,3} |\.00$/g, ''))
  return whole.length < 4 ? [] : line.filter(({ text }) => bare(text).includes(whole))
}

/** Of the least sure word; undefined where the whole line is text. */
function surenessOf(line: Line): number | undefined {
  const own = line.flatMap(({ sureness }) => (sureness === undefined ? [] : [sureness]))
  return own.length === 0 ? undefined : Math.min(...own)
}

// Facts from a picture are believed only where OCR was sure of every word in their line, or surer still of those that hold
// them. The limits are measured: decision 0025 has the figures.
import { confidences } from '../../confidence.ts'
import type { FoundFact } from '../facts/found-fact.ts'
import { type DocumentText, type Line, textOf } from '../formats/document-text.ts'
import { hasPostcode } from '../readings/addresses.ts'
import { plainUmlauts, type Subject } from '../readings/company-names.ts'
import { taxAndRegister } from '../readings/labels.ts'
import { isEnding } from '../readings/wrapped-links.ts'
import { wordsOf } from '../words/phrases.ts'

/** How sure OCR must be of the least sure word. */
const sureEnough = 0.85
/** And of the words of the value, where others in its line are not sure. */
const sureValue = 0.9
/** One letter that was read wrong makes them wrong; in most of them nothing shows it. */
const spelled = new Set(['business.email', 'business.website'])
const longestName = 100
/** Before the @ of a business: anything else may have a letter that was misread. */
const departments = new Set(
  'info contact contacto kontakt contatto office hello hallo bonjour hola mail post sales accounts admin enquiries finance director orders billing team service buero verkauf buchhaltung gerencia ventas administracion contabilidad comptabilite direction accueil'.split(
    ' ',
  ),
)
/** An address may run over so many lines. */
const mostLines = 6
/** And a value over so many cells. */
const mostCells = 3
/** What the edges of boxes and rules are read as; they hide or add a digit. */
const edges = /[[\]{}|\\~_<>]/
/** Among digits, these letters are often digits themselves. */
const unclearLetters = /\d[OIl]|[OIl]\d|\d[SBZ]\d/

export function doubtRecognised(
  facts: readonly FoundFact[],
  { pages }: DocumentText,
  { legal_name, trading_name }: Subject,
): FoundFact[] {
  return facts.map((found) => {
    const lines = pages.find(({ number }) => number === found.page)?.lines ?? []
    const line = lines[found.line - 1] ?? []
    const sureness = surenessOf(line)
    const isFromText = sureness === undefined
    const isSpelled =
      spelled.has(found.fact) && ![legal_name, trading_name].some((name) => isNamedAfter(found.text, name))
    const isUnclear = isSpelled || (taxAndRegister.has(found.fact) && unclearLetters.test(found.text))
    const value = found.text.replace(/^[A-Z$£€]{1,3} |\.00$/g, '')
    const own = bare(value).length < 4 ? [] : cellsOf(line, value)
    const isSureLine = !isFromText && sureness >= sureEnough && !edges.test(textOf(line))
    const isSureValue =
      own.length > 0 && (surenessOf(own) ?? 0) >= sureValue && !edges.test(textOf(own).replace('[X]', ''))
    const isSure =
      isFromText ||
      (found.fact === 'business.registered_address'
        ? isSureOfAddress(found.text, lines.slice(found.line - 1, found.line - 1 + mostLines))
        : !isUnclear && (isSureLine || isSureValue))
    return isSure ? found : { ...found, confidence: Math.min(found.confidence, confidences.recognised) }
  })
}

/** `info@harborbakery.example` of Harbor Lane Bakery: two of the words of the name, in their order, are the whole domain. */
function isNamedAfter(address: string, name: string | null): boolean {
  const [, local = 'info', domain = '', ending = ''] =
    /^(?:([^@/]*)@|(?:https?:\/\/)?(?:www\.)?)([^@/.]{1,63})\.([^@/]{2,20})\/?$/.exec(address) ?? []
  const spelledOut = (text: string) => wordsOf(text).map(plainUmlauts)
  let rests = new Map([[spelledOut(domain).join(''), 0]])
  for (const word of spelledOut((name ?? '').slice(0, longestName)))
    rests = new Map([
      ...rests,
      ...[...rests].flatMap(([rest, count]): [string, number][] =>
        rest.startsWith(word) ? [[rest.slice(word.length), count + 1]] : [],
      ),
    ])
  return (rests.get('') ?? 0) > 1 && departments.has(local.toLowerCase()) && isEnding(ending)
}

/** Every part is in cells that OCR is sure of, and the whole has the form of an address: a postcode says that nothing is cut off. */
function isSureOfAddress(address: string, lines: readonly Line[]): boolean {
  // `KrahnstraBe`
  const isMisread = edges.test(address) || /\p{Ll}(?<!\bMa?c)\p{Lu}/u.test(address)
  const isHeld = (part: string) =>
    lines.some((line) => {
      const own = cellsOf(line, part)
      return own.length > 0 && (surenessOf(own) ?? 1) >= sureValue
    })
  return !isMisread && hasPostcode(address, null) && address.split(',').every(isHeld)
}

/** The cells that hold a value, by its letters and digits: `(423) | 555-0183` are two. */
function cellsOf(line: Line, value: string): Line {
  const whole = bare(value)
  for (let length = 1; length <= mostCells; length++)
    for (let start = 0; start + length <= line.length; start++) {
      const own = line.slice(start, start + length)
      if (
        own
          .map(({ text }) => bare(text))
          .join('')
          .includes(whole)
      )
        return own
    }
  return []
}

function bare(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

/** Of the least sure word; undefined where the whole line is text. */
function surenessOf(line: Line): number | undefined {
  const own = line.flatMap(({ sureness }) => (sureness === undefined ? [] : [sureness]))
  return own.length === 0 ? undefined : Math.min(...own)
}

// Walks through XML in one pass and tells what it meets. Tolerant: it never throws, checks no nesting, fetches nothing
// and expands no entity but the five of XML and character numbers, so that there is nothing to expand endlessly.

interface XmlVisitor {
  /** `name` is without its namespace prefix; `attribute` reads one attribute, by its name without prefix. */
  open?(name: string, attribute: (name: string) => string | undefined): void
  close?(name: string): void
  text?(text: string): void
  /** True ends the walk. */
  isDone?(): boolean
}

export function scanXml(xml: string, { open, close, text, isDone }: XmlVisitor): void {
  let position = 0
  while (position < xml.length && !isDone?.()) {
    const start = xml.indexOf('<', position)
    if (start !== position) text?.(decodeEntities(xml.slice(position, start === -1 ? undefined : start)))
    if (start === -1) return
    if (xml.startsWith('<!--', start)) {
      position = after(xml, '-->', start + 4)
    } else if (xml.startsWith('<![CDATA[', start)) {
      const end = xml.indexOf(']]>', start)
      text?.(xml.slice(start + 9, end === -1 ? undefined : end))
      position = after(xml, ']]>', start + 9)
    } else {
      const end = tagEnd(xml, start + 1)
      position = end + 1
      const first = xml[start + 1]
      if (first === '?' || first === '!') continue
      if (first === '/') {
        close?.(localName(xml.slice(start + 2, end).trim()))
        continue
      }
      const isEmpty = xml[end - 1] === '/'
      const tag = xml.slice(start + 1, isEmpty ? end - 1 : end)
      const nameEnd = tag.search(/\s/)
      const name = localName(nameEnd === -1 ? tag : tag.slice(0, nameEnd))
      open?.(name, (wanted) => (nameEnd === -1 ? undefined : attributeOf(tag.slice(nameEnd), wanted)))
      if (isEmpty) close?.(name)
    }
  }
}

/** The next > that is not inside quotes. */
function tagEnd(xml: string, from: number): number {
  let quote = 0
  for (let index = from; index < xml.length; index++) {
    const code = xml.charCodeAt(index)
    if (quote !== 0) {
      if (code === quote) quote = 0
    } else if (code === 34 || code === 39) quote = code
    else if (code === 62) return index
  }
  return xml.length
}

function attributeOf(attributes: string, wanted: string): string | undefined {
  let position = 0
  while (position < attributes.length) {
    const equals = attributes.indexOf('=', position)
    if (equals === -1) return undefined
    const name = localName(attributes.slice(position, equals).trim())
    let begin = equals + 1
    while (attributes[begin] === ' ') begin++
    const quote = attributes[begin]
    if (quote !== '"' && quote !== "'") return undefined
    const end = attributes.indexOf(quote, begin + 1)
    if (end === -1) return undefined
    if (name === wanted) return decodeEntities(attributes.slice(begin + 1, end))
    position = end + 1
  }
  return undefined
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function after(xml: string, mark: string, from: number): number {
  const found = xml.indexOf(mark, from)
  return found === -1 ? xml.length : found + mark.length
}

const named = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z]{2,4});/gi, (whole, body: string) => {
    if (!body.startsWith('#')) return named.get(body) ?? whole
    const isHex = body[1] === 'x' || body[1] === 'X'
    const code = Number.parseInt(body.slice(isHex ? 2 : 1), isHex ? 16 : 10)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ' '
  })
}

// Addresses of mail and of the web that a narrow column has broken: `office@best-bread.exam`, and `ple` below it.
import type { Cell } from '../formats/document-text.ts'
import { isLabel } from './labels.ts'
import { joinBelow, type ReadDocument } from './places.ts'

const aligned = 2

export function withWholeLinks(document: ReadDocument): ReadDocument {
  const pages = document.pages.map((page) => {
    if (!page.lines.some(({ text }) => /@|www\./i.test(text))) return page
    const lines = [...page.lines]
    for (const [index, line] of page.lines.entries()) {
      for (const begin of line.cells.filter(isBegin)) {
        const rest = lines[index + 1]?.cells.find((cell) => Math.abs(cell.left - begin.left) <= aligned)
        if (rest && isRest(begin.text, rest.text)) joinBelow(lines, index, begin, rest, begin.text + rest.text)
      }
    }
    return { ...page, lines }
  })
  return { ...document, pages }
}

/** One word with an @ in it, as long as a column is wide; or one that begins with `www.`. */
function isBegin({ text, field }: Cell): boolean {
  const isLink = /^[\w.+-]{1,60}@[a-z\d.-]{0,60}$/i.test(text) || /^(?:https?:\/\/)?www\.[a-z\d.-]{3,60}$/i.test(text)
  return field === undefined && isLink && text.length >= 10
}

/** What makes an address whole that was not. */
function isRest(begin: string, rest: string): boolean {
  if (!/^[a-z\d.-]{1,30}$/.test(rest) || rest.startsWith('www') || isLabel(rest)) return false
  return !isWhole(begin) && isWhole(begin + rest)
}

function isWhole(address: string): boolean {
  const domain = address.slice(address.indexOf('@') + 1).replace(/^(?:https?:\/\/)?www\./i, '')
  return domain.includes('.') && known.has(domain.split('.').at(-1) ?? '')
}

/** Whether a domain ends so: `co.uk`, but no `corn`. */
export function isEnding(text: string): boolean {
  return text.split('.').every((part) => known.has(part))
}

/** An address that ends so is whole. */
const known = new Set(
  'com org net info biz eu io app dev shop coop example uk ie us ca au nz za in sg de at ch li fr be lu es mx co cl pe ar ec uy it nl pt dk se no fi pl'.split(
    ' ',
  ),
)

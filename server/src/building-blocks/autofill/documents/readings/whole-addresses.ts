// The address as forms print it that ask for its parts in one row, as Belgian accounts do: `Adresse : Rue du Moulin N° : 33
// Boîte : B`, and below it `Code postal : 5590 Commune : Ciney`. Here both rows are put as an address is written.
import type { Cell } from '../formats/document-text.ts'
import { readLabel } from './labels.ts'
import { type ReadDocument, relined } from './places.ts'

const street =
  /^(\p{Lu}[^:\d]{3,80}?),?\s+N° ?:?\s*(\d{1,5}\s?[A-Za-z]?(?:[/-]\d{1,4})?)(?:\s+Boîte ?:\s*([\p{L}\d]{0,6}))?$/u
const town = /^Code postal ?:\s*([A-Z]?-?\d{4,5})\s+(?:Commune|Localité|Ville) ?:\s*(\p{Lu}[^:]{1,60})$/u

export function withWholeAddresses(document: ReadDocument): ReadDocument {
  const pages = document.pages.map((page) => {
    const lines = [...page.lines]
    for (const [index, line] of page.lines.entries()) {
      const [label, value] = line.cells
      const below = page.lines[index + 1]
      if (!label || !value || !below || !isAddress(label)) continue
      const [, name = '', number = '', box = ''] = street.exec(spaced(line.cells.slice(1))) ?? []
      const [, code = '', place = ''] = town.exec(spaced(below.cells)) ?? []
      if (name === '' || code === '') continue
      const written = `${name} ${number.trim()}${box === '' ? '' : ` Boîte ${box}`},`
      lines[index] = relined(line, [label, { ...value, text: written }])
      lines[index + 1] = relined(below, [{ ...value, text: `${code} ${place}` }])
    }
    return { ...page, lines }
  })
  return { ...document, pages }
}

function isAddress({ text }: Cell): boolean {
  return readLabel(text.replace(/\s?:$/, '')).some(
    ({ fact, is_exact }) => fact === 'business.registered_address' && is_exact,
  )
}

function spaced(cells: readonly Cell[]): string {
  return cells
    .map(({ text }) => text.trim())
    .join(' ')
    .slice(0, 200)
}

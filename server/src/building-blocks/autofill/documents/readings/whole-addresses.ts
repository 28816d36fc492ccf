// The address as forms print it that ask for its parts in one row, as Belgian accounts do: `Adresse : Rue du Moulin N° : 33
// Boîte : B`, and below it `Code postal : 5590 Commune : Ciney`. Here both rows are put as an address is written. And an
// address that begins with the name of the subject, as on an envelope, is left without it.
import type { Cell } from '../formats/document-text.ts'
import { isSubject, namesOf, type Subject } from './company-names.ts'
import { readLabel } from './labels.ts'
import { isRole } from './person-names.ts'
import { type PlacedLine, placeOf, type ReadDocument, relined } from './places.ts'

const street =
  /^(\p{Lu}[^:\d]{3,80}?),?\s+N° ?:?\s*(\d{1,5}\s?[A-Za-z]?(?:[/-]\d{1,4})?)(?:\s+Boîte ?:\s*([\p{L}\d]{0,6}))?$/u
const town = /^Code postal ?:\s*([A-Z]?-?\d{4,5})\s+(?:Commune|Localité|Ville) ?:\s*(\p{Lu}[^:]{1,60})$/u

export function withWholeAddresses(document: ReadDocument, subject: Subject): ReadDocument {
  const names = namesOf(subject)
  const pages = document.pages.map((page) => {
    const lines = [...page.lines]
    for (const [index, line] of page.lines.entries()) {
      const [label, ...values] = labelApart(line.cells)
      const [value] = values
      const next = page.lines[index + 1]?.cells.length === 0 ? index + 2 : index + 1
      const below = page.lines[next]
      const above = page.lines[index - 1]
      // `Administrateur` heads the address of a person.
      const isPersons = above?.cells.length === 1 && isRole(above.text)
      if (!label || !value || !below || !isAddress(label) || isPersons) continue
      if (isSubject(value.text, names)) {
        moveUp(lines, index, label, value)
        continue
      }
      const [, name = '', number = '', box = ''] = street.exec(spaced(values)) ?? []
      const [, code = '', place = ''] = town.exec(spaced(below.cells)) ?? []
      if (name === '' || code === '') continue
      const written = `${name} ${number.trim()}${box === '' ? '' : ` Boîte ${box}`},`
      lines[index] = relined(line, [label, { ...value, text: written }])
      // The town moves up to the street, over an empty line.
      lines[next] = relined(below, [])
      lines[index + 1] = relined(page.lines[index + 1] ?? below, [{ ...value, text: `${code} ${place}` }])
    }
    return { ...page, lines }
  })
  return { ...document, pages }
}

/** `Adresse: Rue du Moulin`: the label is a cell of its own. */
function labelApart(cells: readonly Cell[]): readonly Cell[] {
  const [first, ...more] = cells
  const colon = first?.text.indexOf(':') ?? -1
  const rest = first?.text.slice(colon + 1).trim() ?? ''
  if (!first || colon === -1 || rest === '') return cells
  const middle = first.left + ((first.right - first.left) * (colon + 1)) / first.text.length
  return [
    { ...first, text: first.text.slice(0, colon + 1), right: middle },
    { ...first, text: rest, left: middle },
    ...more,
  ]
}

/** What stands below the name, in its column, moves up by a line. */
function moveUp(lines: PlacedLine[], index: number, label: Cell, value: Cell): void {
  const isBelow = ({ cells }: PlacedLine) => cells.length === 1 && Math.abs((cells[0]?.left ?? 0) - value.left) <= 2
  const below = lines.slice(index + 1, index + 1 + mostLines)
  const end = below.findIndex((line) => !isBelow(line))
  const block = end === -1 ? below : below.slice(0, end)
  const [street] = block
  // A street and a town, and nothing else.
  if (!street || block.length < 2 || !/\d/.test(block[1]?.text ?? '') || block.some(({ text }) => /[:@]/.test(text)))
    return
  for (const [at, line] of block.entries()) {
    const target = lines[index + at]
    if (!target) continue
    const cells = at === 0 ? [label, ...line.cells] : line.cells
    lines[index + at] = { ...relined(target, cells), shown_at: placeOf(line) }
  }
  const last = block.at(-1)
  if (last) lines[index + block.length] = relined(last, [])
}

const mostLines = 5

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

// Who owns all of a business, told by a word and not by a share: `Sole member: Ann Lee`, or `Sole shareholder` as the role of
// somebody in a table of officers.

import { soleOwners } from '../words/people-words.ts'
import { wordsOf } from '../words/phrases.ts'
import type { Owners } from './owners.ts'
import { labelsAndValues } from './people-in-forms.ts'
import { fieldOfHeader, isCompany, isFormer, splitName } from './person-names.ts'
import { type PlacedLine, placeOf, type ReadDocument } from './places.ts'

const longestName = 80
/** A table of officers begins so far up. */
const reach = 12

/** One owner, or nobody: two who own all of it are those of several businesses. */
export function soleOwnerIn({ pages, country }: ReadDocument): Owners {
  const named = pages.flatMap(({ lines }) =>
    lines.flatMap((line, index) => {
      if (isFormer(line.text)) return []
      const name = nameBehind(line) ?? nameInRow(lines, index) ?? nameInSentence(lines, index)
      return name === undefined ? [] : [{ name, place: placeOf(line) }]
    }),
  )
  const [first] = named
  const nobody: Owners = { people: [], companies: [] }
  const isOne = new Set(named.map(({ name }) => wordsOf(name).toSorted().join(' '))).size === 1
  if (!first || !isOne) return nobody
  const { name, place } = first
  if (isCompany(name)) return { people: [], companies: [{ name, ownership_percent: '100', place }] }
  const split = splitName(name, country)
  return split
    ? { people: [{ ...split, ownership_percent: '100', is_owner: true, doubts: [], place }], companies: [] }
    : nobody
}

/** `Sole member: Ann Lee` */
function nameBehind(line: PlacedLine): string | undefined {
  const found = labelsAndValues(line).find(({ label, value }) => value !== '' && isSole(label))
  return found && nameOf(found.value)
}

/** `Name | Position` over `LEE, ANN | Sole shareholder (100 %)` */
function nameInRow(lines: readonly PlacedLine[], index: number): string | undefined {
  const cells = lines[index]?.cells ?? []
  const role = cells.slice(1).find(({ text }) => isSole(text.replace(/\([^()]*\)/g, ' ')))
  const header = lines
    .slice(Math.max(0, index - reach), index)
    .findLast((line) => line.cells.some(({ text }) => fieldOfHeader(text) === 'role'))
  const isNamed = header !== undefined && fieldOfHeader(header.cells[0]?.text ?? '') === 'name'
  return role && isNamed ? nameOf(cells[0]?.text ?? '') : undefined
}

/** `La sociedad es unipersonal, siendo su socio único DON Juan Lee Pons`, as the Spanish register says it. */
function nameInSentence(lines: readonly PlacedLine[], index: number): string | undefined {
  const text = `${lines[index]?.text ?? ''} ${lines[index + 1]?.text ?? ''}`
  const [, name] =
    /siendo su (?:socio|socia) únic[oa] (?:don|doña|d\.ª?|dª)?\s?([^,;.\d]{5,60})[,;.]/iu.exec(text) ?? []
  return name !== undefined && text.indexOf(name) < (lines[index]?.text.length ?? 0) ? nameOf(name) : undefined
}

/** The words for a sole owner, and at most one more: `Sole member name`. */
function isSole(text: string): boolean {
  const words = wordsOf(text.slice(0, longestName))
  const found = soleOwners.at(words, 0)
  return found !== undefined && words.length - found.length <= 1
}

function nameOf(text: string): string | undefined {
  const name = text.replace(/\s?\(?\b100\s?%\)?\s*$/, '').trim()
  return name.length <= longestName && !/\d/.test(name) ? name : undefined
}

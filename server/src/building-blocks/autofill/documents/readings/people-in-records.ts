// People whose fields stand in any order, with a label each: `Name: Ann Lee  Title: President  Ownership %: 60`; and lists
// behind a label: `Shareholders: Ann Lee (director) 60%, Bob Lee 40%`.

import { people as peopleWords } from '../words/people-words.ts'
import { wordsOf } from '../words/phrases.ts'
import { mails } from '../words/vocabulary.ts'
import { isShoutedHeading } from './captions.ts'
import { isOrganisation } from './organisations.ts'
import type { Owners, Person } from './owners.ts'
import { companyOf, isBand, labelsAndValues, nameAndShare, setField } from './people-in-forms.ts'
import { fieldOfHeader, isCompany, isFormer, isRole, type PersonName, splitName } from './person-names.ts'
import { type PlacedLine, placeOf, type ReadDocument } from './places.ts'

/** Lines between two fields of one person. */
const reach = 4

/** `writer`: who says `me`. */
export function peopleOfRecords({ pages, country }: ReadDocument, writer: PersonName | undefined): Owners {
  const found: Owners = { people: [], companies: [] }
  for (const { lines } of pages) {
    let current: (Person & { at: number }) | undefined
    for (const [index, line] of lines.entries()) {
      // `II - HELD BY PERSONS`: what belongs to nobody yet is not that of the next.
      if (isShoutedHeading(line)) current = undefined
      for (const { label, value } of labelsAndValues(line)) {
        if (value === '') continue
        const listed = listBehind(label, value, line, { country, writer })
        found.people.push(...listed.people)
        found.companies.push(...listed.companies)
        const field = isWeak(label) ? undefined : fieldOfHeader(label)
        if (field === undefined) continue
        const isNext =
          !current ||
          index - current.at > reach ||
          (field === 'name' ? current.first_name !== undefined : current[field] !== undefined)
        if (isNext) {
          current = { doubts: isFormer(line.text) ? ['owner'] : [], place: placeOf(line), at: index }
          found.people.push(current)
        }
        // Among the fields of a form an email may be that of the business.
        if (!current || field === 'email') continue
        current.at = index
        if (field === 'name') nameAndShare(current, value, country, label)
        else setField(current, field, value, country)
      }
    }
  }
  const isWhole = ({ first_name, last_name, ownership_percent }: Person) =>
    first_name !== undefined && last_name !== undefined && ownership_percent !== undefined
  return { people: found.people.filter(isWhole), companies: found.companies }
}

/** `Interest: 5 %` may be that of a loan. */
function isWeak(label: string): boolean {
  return /^(?:percent|percentage|pct|interest|total|prozent|zins|taux|tasa|porcentaje|pourcentage| )+$/.test(
    wordsOf(label).join(' '),
  )
}

/** `Shareholders`, `Directors and shareholders`. */
function isOwnersLabel(words: readonly string[]): boolean {
  const isOwner = (word: string) => peopleWords.owners.has(word) || peopleWords.headings.has(word)
  return (
    peopleWords.headings.has(words.join(' ')) ||
    (words.some(isOwner) &&
      words.every((word) => isOwner(word) || peopleWords.roles.has(singular(word)) || word === 'and'))
  )
}

/** `my sister Isla Lee`, `Ann Lee with`: the name alone. Other small words, as in `heirs of Ann Lee`, say that it is nobody. */
function bareName(text: string): string {
  const name = text.trim().replace(/(?<=\p{L})\s(?:with|mit|zu|avec|à|con)$/u, '')
  const places = [...name.matchAll(/[\p{L}\p{N}]+/gu)]
  const kin = mails.kin.at(
    places.map(([word]) => wordsOf(word)[0] ?? ''),
    0,
  )
  return kin === undefined ? name : name.slice(places[kin.length]?.index ?? name.length)
}

function singular(word: string): string {
  return word.replace(/s$/, '')
}

interface Around {
  country: string | null
  writer: PersonName | undefined
}

function listBehind(label: string, value: string, line: PlacedLine, { country, writer }: Around): Owners {
  const found: Owners = { people: [], companies: [] }
  if (!isOwnersLabel(wordsOf(label.replace(/\([^()]*\)/g, ' ')))) return found
  for (const match of value.matchAll(/([^%\d][^%]{0,80}?)[\s(:,–-]{1,9}(\d{1,3}(?:[.,]\d{1,6})?)\s?%\)?/g)) {
    const [part, text = '', share = ''] = match
    if (isBand(value.slice(match.index + part.length))) continue
    const own = text.replace(/^[\s,;.)]*(?:(?:and|und|et|y|sowie)\s)?/, '')
    const [whole = ''] = own.split(/[(,–]|\s-\s/)
    // `Ann Lee 480 shares`
    const name = bareName(whole.replace(/\s\d[\d.,' ]*(?:\s\p{L}+)?\s*$/u, ''))
    const isWriter = mails.self.has(wordsOf(name).join(' '))
    // `born 3 May 1974, Managing Director`
    const told = own.slice(whole.length).replace(/^[\s(,–-]+|[\s),–:-]+$/gu, '')
    const role = /\d/.test(told)
      ? (told.split(/[,;]\s*/).find((one) => isRole(one) && !/\d/.test(one) && !isOrganisation(one)) ?? '')
      : told
    // `me (Ann Lee) 60%`, `yo, Ann Lee Mora, tengo el 60 %`
    const [, called = fullNameOf(writer, own.slice(whole.length))] = /\(([^()]{3,60})\)/.exec(own) ?? []
    const person = isWriter ? (splitName(called, country) ?? writer) : splitName(name, country)
    if (person)
      found.people.push({
        ...person,
        ownership_percent: share.replace(',', '.'),
        ...(isRole(role) && { role }),
        doubts: isFormer(part) ? ['owner'] : [],
        place: placeOf(line),
      })
    else if (!isWriter && isCompany(name)) found.companies.push(companyOf(own, line, share))
  }
  return found
}

/** `, Ann Lee Mora, tengo el`: whoever has written it, with all names. */
function fullNameOf(writer: PersonName | undefined, text: string): string {
  const [before = '', name = ''] = text.slice(0, 100).split(',', 2)
  const words = wordsOf(name)
  const known = writer ? wordsOf(`${writer.first_name} ${writer.last_name}`) : []
  const isWriter = known.length > 0 && known.every((word) => words.includes(word)) && words.length <= known.length + 2
  return before.trim() === '' && isWriter ? name.trim() : ''
}

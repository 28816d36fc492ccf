// What its form alone gives away, without a label: an email address, a website, a number of a register.
import { wordsOf } from '../words/phrases.ts'
import { courts } from '../words/vocabulary.ts'
import { isSubject, mentionsSubject, type Names } from './company-names.ts'
import { isEmail, tokensOf, websiteIn } from './identifiers.ts'
import { isInImprint } from './imprints.ts'
import { isOrganisation } from './organisations.ts'
import { isBehindOther } from './others-particulars.ts'
import type { Parties } from './parties.ts'
import { isSigned, ownerOfPlace } from './place-owners.ts'
import { type PlacedLine, placeOf, type ReadDocument } from './places.ts'
import type { Doubt, Reading } from './reading.ts'

const register =
  /\b(HR[AB] ?\d{2,6}(?: [A-Z]{1,2}(?![\p{L}]))?)\b|\b(FN ?\d{2,6} ?[a-z])\b|\b(\d{3} ?\d{3} ?\d{3})(?= R\.?C\.?S\b)|R\.?C\.?S\.? [\p{L}-]+ (?:[AB] )?(\d{3} ?\d{3} ?\d{3})\b/u
/** Who sends a mail is a person. */
const mailHeader = /^(?:from|to|cc|bcc|reply-to|von|an|de|à|para|cc)\s*:/i
const headLines = 6
const footLines = 8

export function readByForm(document: ReadDocument, parties: Parties): Reading[] {
  return document.pages.slice(0, 20).flatMap(({ lines }, page) => {
    const filled = lines.filter(({ cells }) => cells.length > 0)
    const edges = new Set([...filled.slice(0, headLines), ...filled.slice(-footLines)])
    return lines.flatMap((line, index) => {
      if (!/@|www\.|\.\p{L}{2}|HR[AB]|FN \d|R\.?C\.?S/u.test(line.text)) return []
      return line.cells.flatMap(({ text, left }): Reading[] => {
        const owner = (value: string): Doubt[] => {
          if (isOfNextName(lines, index, text, parties.names)) return []
          if (register.test(value) && isInImprint(lines, index, parties.names)) return []
          const before = text.slice(0, text.indexOf(value))
          // `merged with Best Boats (Amtsgericht …)`
          const parts = before.split(/[,;:(]/).filter((part) => part.trim() !== '')
          const isCourt = parts.every((part) => courts.at(wordsOf(part), 0) !== undefined)
          const isNamed =
            !isCourt && parts.some((part) => isOrganisation(part)) && !mentionsSubject(text, parties.names)
          const isTheirs = ownerOfPlace(document, page, index, left, parties.names, true) === 'other'
          return isTheirs || isNamed || isBehindOther(before, parties.names) ? ['owner'] : []
        }
        return readingsIn(text).map(({ fact, value, is_alone }) => {
          // In a heading or a footer contacts stand by themselves; in a text they may be anybody's.
          const isLetterhead =
            edges.has(line) &&
            is_alone &&
            fitsName(value, parties.names) &&
            !mailHeader.test(line.text) &&
            !isSigned(text)
          const isSmallPrint = parties.is_statement && fact === 'business.registration_number'
          const doubts: Doubt[] = isLetterhead && !isSmallPrint ? owner(value) : ['owner', 'label']
          return reading(fact, value, line, doubts)
        })
      })
    })
  })
}

/** `the company registered as HRB 40926`, and its name in the next line. */
function isOfNextName(lines: readonly PlacedLine[], index: number, text: string, names: Names): boolean {
  const next = lines.slice(index + 1, index + 3).find(({ cells }) => cells.length > 0)
  return register.test(text) && /\beingetragene?[nr]?$/.test(text.trim()) && isSubject(next?.text ?? '', names)
}

/** `hello@lee-bakery.com` of Lee Bakery: a domain that says nothing of the name may be the program's or the bank's. */
function fitsName(value: string, names: Names): boolean {
  if (!/\.\p{L}{2,}/u.test(value)) return true
  // A page about the subject may be anybody's.
  const [domain = ''] = value
    .slice(value.indexOf('@') + 1)
    .replace(/^https?:\/\//, '')
    .split('/')
  const host = wordsOf(domain).join('')
  return names.some((name) => name.some((word) => word.length >= 4 && host.includes(word.slice(0, 8))))
}

function readingsIn(text: string): { fact: string; value: string; is_alone: boolean }[] {
  const tokens = tokensOf(text)
  const bare = tokens.map((token) => token.replace(/^[<("]|[>)",;.]+$/g, ''))
  const isShort = tokens.length <= 6
  const email = bare.find(isEmail)
  const website = isShort
    ? bare
        .filter((token) => !token.includes('@'))
        .map(websiteIn)
        .find(
          (one) =>
            one !== undefined &&
            (one.startsWith('www.') || one.startsWith('http') || (tokens.length === 1 && one === one.toLowerCase())),
        )
    : undefined
  const found = register.exec(text)
  const number = found?.slice(1).find((one) => one !== undefined)
  return [
    ...(email === undefined ? [] : [{ fact: 'business.email', value: email, is_alone: isShort }]),
    ...(website === undefined ? [] : [{ fact: 'business.website', value: website, is_alone: isShort }]),
    ...(number === undefined ? [] : [{ fact: 'business.registration_number', value: number, is_alone: true }]),
  ]
}

function reading(fact: string, value: string, line: PlacedLine, doubts: Doubt[]): Reading {
  return { fact, value, label: '', doubts, place: placeOf(line) }
}

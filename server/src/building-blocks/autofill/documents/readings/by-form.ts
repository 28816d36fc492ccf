// What its form alone gives away, without a label: an email address, a website, a number of a register.
import { isEmail, tokensOf, websiteIn } from './identifiers.ts'
import { ownerOfLine, type Parties } from './parties.ts'
import { type PlacedLine, placeOf, type ReadDocument } from './places.ts'
import type { Doubt, Reading } from './reading.ts'

const register =
  /\b(HR[AB] ?\d{2,6}(?: [A-Z])?)\b|\b(\d{3} ?\d{3} ?\d{3})(?= R\.?C\.?S\b)|R\.?C\.?S\.? [\p{L}-]+ (?:[AB] )?(\d{3} ?\d{3} ?\d{3})\b/u
const headLines = 6
const footLines = 8

export function readByForm(document: ReadDocument, parties: Parties): Reading[] {
  return document.pages.slice(0, 20).flatMap(({ lines }, page) => {
    const filled = lines.filter(({ cells }) => cells.length > 0)
    const edges = new Set([...filled.slice(0, headLines), ...filled.slice(-footLines)])
    return lines.flatMap((line, index) => {
      if (!/@|www\.|\.\p{L}{2}|HR[AB]|R\.?C\.?S/u.test(line.text)) return []
      return line.cells.flatMap(({ text, left }): Reading[] => {
        const owner = () =>
          ownerOfLine(document, page, index, left, parties.names) === 'other' ? ['owner' as const] : []
        return readingsIn(text).map(({ fact, value, is_alone }) => {
          // In a heading or a footer contacts stand by themselves; in a text they may be anybody's.
          const isLetterhead = edges.has(line) && is_alone
          const doubts: Doubt[] = isLetterhead ? owner() : ['label', ...owner()]
          return reading(fact, value, line, doubts)
        })
      })
    })
  })
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
        .find((one) => one !== undefined && (one.startsWith('www.') || one.startsWith('http') || tokens.length === 1))
    : undefined
  const found = register.exec(text)
  const number = found?.[1] ?? found?.[2] ?? found?.[3]
  return [
    ...(email === undefined ? [] : [{ fact: 'business.email', value: email, is_alone: isShort }]),
    ...(website === undefined ? [] : [{ fact: 'business.website', value: website, is_alone: isShort }]),
    ...(number === undefined ? [] : [{ fact: 'business.registration_number', value: number, is_alone: true }]),
  ]
}

function reading(fact: string, value: string, line: PlacedLine, doubts: Doubt[]): Reading {
  return { fact, value, label: '', doubts, place: placeOf(line) }
}

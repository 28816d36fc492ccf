// The legal forms in names of companies: which one a name has, and whether those of two names are of one company.
import { wordsOf } from '../words/phrases.ts'
import { kindsOfForms, legalForms } from '../words/vocabulary.ts'

/** They may stand between the words of a name, or not. */
export const joining = new Set(['and', 'und', 'et', 'y', 'the', 'i'])

/** The words of a name, with its form as others write it. */
export function bareWords(name: string): readonly string[] {
  return wordsOf(
    name
      .replace(/\b(\p{L})\.(?=\s?\p{L}\b|\s|$)/gu, '$1')
      .replace(/(?<=\p{L}{2})['’](?=s\b)/gu, '')
      .replace(/\bco-?op(?:erative)?\b/gi, 'cooperative')
      .replaceAll('&', ' and '),
  )
}

/** The legal forms of a name; `SAS` in front of an English one is a part of it. */
export interface Forms {
  behind?: string | undefined
  before?: string | undefined
}

export function haveTwoKinds(a: Forms, b: Forms): boolean {
  const areInFront = a.behind === undefined && b.behind === undefined
  return areOfTwoKinds(a.behind, b.behind) || (areInFront && areOfTwoKinds(a.before, b.before))
}

/** `Lee Bakery LLP` and `Lee Bakery Limited` are two. */
function areOfTwoKinds(a: string | undefined, b: string | undefined): boolean {
  const [one, other] = [a, b].map((form) => kindsOfForms.get(form ?? ''))
  return one !== undefined && other !== undefined && one !== other
}

export function formIn(name: string): string | undefined {
  return formsIn(name).behind
}

export function formsIn(name: string): Forms {
  const words = bareWords(name)
  const found = legalForms.in(words.slice(1))
  // `SCI Boulangerie du Port`
  const length = words.length > 2 ? (legalForms.at(words, 0)?.length ?? 0) : 0
  return {
    behind: found && plainForm(words.slice(found.begin + 1, found.begin + 1 + found.length)),
    before: length === 0 ? undefined : plainForm(words.slice(0, length)),
  }
}

export function plainForm(words: readonly string[]): string {
  const form = words.join('')
  return sameForms.get(form) ?? form
}

const sameForms = new Map([
  ['limited', 'ltd'],
  ['incorporated', 'inc'],
  ['corporation', 'corp'],
  ['slu', 'sl'],
  ['sasu', 'sas'],
])

// In which order the parts of a name stand: `Ann Lee` or `Lee Ann`. The names themselves tell it, then the label.

import { personColumns } from '../words/people-words.ts'
import names from '../words/person-names.json' with { type: 'json' }
import { fold, wordsOf } from '../words/phrases.ts'

/** Those that are hardly ever family names: at the end of a name, they say that the family name came first. */
const given = new Set(names.given)
const behindParticles = new Set(names.given_behind_particles)
/** Common where the family name comes first. */
const eastern = new Set(names.family_first)
/** Those among them that are parts of given names, too. */
const alsoGiven = new Set(names.also_given)
const easternCountries = new Set(['SG', 'HK', 'CN', 'TW', 'MO', 'MY', 'VN', 'KR'])

/** How many of the parts, from which one on, are the family name. */
interface FamilyName {
  begin: number
  end: number
  /** Only the names say so: they may be somebody's whose family is called as others are baptised. */
  is_unsure: boolean
}

/** Undefined where the name is written as usual, with the family name at the end. */
export function familyNameAhead(
  parts: readonly string[],
  { label, country, hasTwo }: { label: string; country: string | null; hasTwo: boolean },
): FamilyName | undefined {
  if (country !== null && easternCountries.has(country)) {
    // `Tan Wei Shan`, and with a second given name in front, `Grace Tan Wei Shan`.
    const isFamily = (part = '') => eastern.has(fold(part)) && /^\p{Lu}/u.test(part)
    const isStrong = (part = '') => isFamily(part) && !alsoGiven.has(fold(part))
    // `Wei Ming Chua` is written as in the West.
    const isWestern = isStrong(parts.at(-1)) && !isStrong(parts[0])
    const begin = isFamily(parts[0]) ? 0 : isGiven(parts[0]) || parts.length > 3 ? 1 : -1
    // `Zhang Wei` is mostly written so, and `Kim Lee` tells nothing.
    if (parts.length === 2 && isFamily(parts[0]) && !isFamily(parts[1])) return { begin: 0, end: 1, is_unsure: true }
    const rest = parts.length - 1 - begin
    if (begin !== -1 && !isWestern && isFamily(parts[begin]) && rest > 1 && !isGiven(parts[begin + 1]))
      return { begin, end: begin + 1, is_unsure: false }
  }
  const [isFirstGiven, isLastGiven] = [isGiven(parts[0]), isGiven(parts.at(-1))]
  const isSaid = saysFamilyFirst(label)
  const isAhead = isFirstGiven === isLastGiven ? isSaid : isLastGiven
  if (!isAhead) return undefined
  let end = 0
  for (let wanted = hasTwo ? 2 : 1; wanted > 0 && end < parts.length - 1; end++)
    if (!particles.has(fold(parts[end] ?? ''))) wanted--
  // `Name, first name` asks for a comma; without one, and where the names tell nothing, it may be the other way round.
  const isIgnored = /[,:]/.test(label) && !isLastGiven
  return { begin: 0, end, is_unsure: !isSaid || isIgnored }
}

/** `Flor de María`, `Ana del Carmen` */
export function isGivenBehindParticle(part = ''): boolean {
  return behindParticles.has(fold(part))
}

export function isGiven(part = ''): boolean {
  const [first = ''] = fold(part).split('-')
  return given.has(first)
}

/** `Nom et prénom`, `Apellidos y nombre`, `Surname, first name`. */
function saysFamilyFirst(label: string): boolean {
  const words = wordsOf(label.replace(/\([^()]*\)/g, ' '))
  const at = (field: string) => words.findIndex((word) => personColumns.get(word) === field)
  const [last, first, name] = [at('last_name'), at('first_name'), at('name')]
  if (last !== -1) return [first, name].some((other) => other > last)
  return name !== -1 && first > name
}

/** Small words that are part of a family name. */
export const particles = new Set(
  'le la de du des del della di da dos das van von der den ter ten zu zur el al st ní nic uí ó bin binte binti'.split(
    ' ',
  ),
)

// A match is a project and a programme, and its id is made of both: the same in every calculation, and known without
// looking anything up. Whoever knows the project can tell the programme from it.
import { hash } from 'node:crypto'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

export function matchIdOf(projectId: string, programId: string): string {
  return `mat_${mixed(projectId, programId.slice(4))}`
}

/** The programme of a match. */
export function programIdOf(projectId: string, matchId: string): string {
  return `prg_${mixed(projectId, matchId.slice(4))}`
}

/** Each character is changed by a key that only the project decides; the same again gives the first text back. */
function mixed(projectId: string, text: string): string {
  const key = hash('sha256', projectId, 'buffer')
  let result = ''
  for (let i = 0; i < text.length; i++) {
    // The first of 26 characters has three bits, the others five.
    const bits = (key[i] ?? 0) & (i === 0 ? 7 : 31)
    result += alphabet[alphabet.indexOf(text[i] ?? '0') ^ bits] ?? '0'
  }
  return result
}

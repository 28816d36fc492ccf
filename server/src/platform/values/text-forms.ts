// What a text may contain, as patterns that every validator understands: no \p{…}, linear in a backtracking engine.
//   blank      what nobody sees: spaces, and marks that only steer how other characters are shown
//   forbidden  control characters, and the overrides that make a text read in another order than it is stored

const blank =
  ' \\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u1680\\u180e\\u2000-\\u200f\\u202f\\u205f-\\u2065\\u206a-\\u206f\\u2800\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0'
const overrides = '\\u202a-\\u202e\\u2066-\\u2069'
const lineBreaks = '\\t\\n\\r\\u2028\\u2029'
const forbidden = `\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029${overrides}`
const forbiddenInLines = `\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f${overrides}`

/** One line with at least one visible character. */
export const lineForm = `^[${blank}]*[^${blank}${forbidden}][^${forbidden}]*$`

/** The same with line breaks and tabs. */
export const linesForm = `^[${blank}${lineBreaks}]*[^${blank}${lineBreaks}${forbiddenInLines}][^${forbiddenInLines}]*$`

const marks = '!-.:-@\\[-`{-~\\u00a1-\\u00bf\\u2010-\\u2027\\u2030-\\u205e'

/** A file's name: no path, and not punctuation alone. */
export const filenameForm = `^[${blank}${marks}]*[^${blank}${marks}${forbidden}/\\\\][^${forbidden}\\u061c\\u200e\\u200f\\ufeff/\\\\]*$`

/** What is wrong with a text that does not have the form of a line, or of several. */
export function textProblem(text: unknown, areLinesAllowed: boolean): string {
  const characters = typeof text === 'string' ? Array.from(text) : []
  const at = characters.findIndex((one) => (areLinesAllowed ? inLines : inLine).test(one))
  const found = characters[at]
  if (found === undefined) return 'must not be blank'
  const code = `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
  return areLinesAllowed
    ? `must not contain control characters; character ${at + 1} is ${code}`
    : `must be a single line without control characters; character ${at + 1} is ${code}`
}

const inLine = new RegExp(`[${forbidden}]`, 'u')
const inLines = new RegExp(`[${forbiddenInLines}]`, 'u')

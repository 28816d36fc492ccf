// Forms with a box for each letter: `L E E   B A K E R Y   L T D`. What was written into them is put together, the words of
// a line into one cell.
import type { Cell, Line } from '../formats/document-text.ts'

const comb = /^\S(?: \S)+$/u
/** So many letters in a row are no initials, and no columns `A B C`. */
const fewest = 4

export function withoutCombs(line: Line): Line {
  if (!line.some(isLongComb)) return line
  const cells: Line = []
  let before: Cell | undefined
  for (const cell of line) {
    const isTeeth = comb.test(cell.text) && cell.field === undefined
    const text = isTeeth ? cell.text.replaceAll(' ', '') : cell.text
    const last = cells.at(-1)
    // `0 1 | 0 1 | 2 0 2 5`, and one letter alone is a word among others; one digit is another box.
    const isWord = isTeeth || (before !== undefined && /^\p{L}$/u.test(cell.text))
    if (isWord && before && last) cells[cells.length - 1] = { ...last, text: `${last.text} ${text}`, right: cell.right }
    else cells.push(text === cell.text ? cell : { ...cell, text })
    before = isWord ? cell : undefined
  }
  return cells
}

function isLongComb({ text, field }: Cell): boolean {
  if (field !== undefined || text.length < 2 * fewest - 1 || !comb.test(text)) return false
  const teeth = text.split(' ')
  // `1 2 3 4 5` counts columns.
  const isCounting = teeth.every((tooth, index) => index === 0 || Number(tooth) === Number(teeth[index - 1]) + 1)
  return !isCounting && teeth.some((tooth) => /[\p{Lu}\d]/u.test(tooth))
}

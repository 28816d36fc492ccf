// Forms with a box for each letter: `L E E   B A K E R Y   L T D`. What was written into them is put together, the words of
// a line into one cell.
import type { Cell, Line } from '../formats/document-text.ts'

const comb = /^\S(?: \S)+$/u
/** So many letters in a row are no initials, and no columns `A B C`. */
const fewest = 4

export function withoutCombs(whole: Line): Line {
  const line = withTeethJoined(whole)
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

/** `7 | 4 | - | 3 | 0 | 1`: boxes so wide that each digit is a cell of its own. */
function withTeethJoined(line: Line): Line {
  if (line.filter(isTooth).length < fewestTeeth) return line
  const cells: Line = []
  let run: Cell[] = []
  const end = () => {
    cells.push(...joined(run))
    run = []
  }
  for (const cell of line) {
    if (isTooth(cell)) run.push(cell)
    else {
      end()
      cells.push(cell)
    }
  }
  end()
  return cells
}

function isTooth({ text, field, is_boxed }: Cell): boolean {
  return /^[\dA-Z–—-]$/.test(text) && (field === undefined || is_boxed === true)
}

/** The teeth of one comb as one cell; where a step is longer than the others, a word ends. */
function joined(run: readonly Cell[]): readonly Cell[] {
  const [first, ...rest] = run
  if (!first || run.length < fewestTeeth) return run
  const steps = rest.map((cell, at) => cell.left - (run[at]?.left ?? 0))
  const step = steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0
  if (step > widestTooth || steps.some((one) => one >= longestStep * step)) return run
  const text = rest.reduce(
    (whole, cell, at) => whole + ((steps[at] ?? 0) > wordStep * step ? ' ' : '') + cell.text,
    first.text,
  )
  const bare = text.replace(/\s?[–—-]\s?/g, '-').replace(/^(\d\d) (\d{7})$/, '$1-$2')
  return [{ ...first, text: bare, right: run.at(-1)?.right ?? first.right }]
}

const fewestTeeth = 7
/** In points, and in steps of its comb. */
const widestTooth = 30
const longestStep = 2.6
const wordStep = 1.4

function isLongComb({ text, field }: Cell): boolean {
  if (field !== undefined || text.length < 2 * fewest - 1 || !comb.test(text)) return false
  const teeth = text.split(' ')
  // `1 2 3 4 5` counts columns.
  const isCounting = teeth.every((tooth, index) => index === 0 || Number(tooth) === Number(teeth[index - 1]) + 1)
  return !isCounting && teeth.some((tooth) => /[\p{Lu}\d]/u.test(tooth))
}

// From Tesseract's table of words to pieces of text with their places, as a PDF has them: straightened where the page
// lay askew, on common baselines, with the size of their letters.
import type { PlacedText } from './text-layout.ts'

interface Word {
  text: string
  left: number
  right: number
  top: number
  bottom: number
  /** 0 to 1, as the program says. */
  sureness: number
}

const mostWords = 20_000
/** `|5120` and `_23`: the edge of a box and the line below a blank, which may also have hidden something. */
const edgeBefore = /^[|_~‘‚“]+(?=[\p{L}\p{N}$£€(])/u
const besideEdge = 0.85

/** `scale` is how many points a pixel measures. */
export function placeWords(table: string, scale: number): PlacedText[] {
  const lines = linesOf(table)
  const slope = slopeOf(lines)
  const pieces: PlacedText[] = []
  for (const words of lines) {
    const height = median(words.map(letterSize)) * scale
    const baseline = median(words.map((word) => straight(word, slope)))
    for (const { text, left, right, sureness } of words)
      pieces.push({ text, x: left * scale, y: baseline * scale, width: (right - left) * scale, height, sureness })
  }
  return pieces
}

function linesOf(table: string): Word[][] {
  const lines = new Map<string, Word[]>()
  let count = 0
  for (const row of table.split('\n')) {
    const [level, page, block, paragraph, line, , left, top, width, height, confidence, ...rest] = row.split('\t')
    const read = rest.join(' ').trim()
    const text = read.replace(edgeBefore, '')
    const [x, y, w, h] = [left, top, width, height].map(Number)
    const isPlaced = [x, y, w, h].every((value) => value !== undefined && Number.isFinite(value) && value >= 0)
    if (level !== '5' || !isPlaced || text === '' || isSpeck(text)) continue
    if (++count > mostWords) break
    const key = [page, block, paragraph, line].join()
    const words = lines.get(key) ?? []
    const [l = 0, t = 0] = [x, y]
    const sureness = Math.min(text === read ? 1 : besideEdge, Math.max(0, Number(confidence) / 100 || 0))
    words.push({ text, left: l, right: l + (w ?? 0), top: t, bottom: t + (h ?? 0), sureness })
    lines.set(key, words)
  }
  return [...lines.values()].map(joinNumbers)
}

/** `138, 420` and `54 -2271906`: in type of one width, the room beside a comma or a dash is read as a space. */
function joinNumbers(words: readonly Word[]): Word[] {
  const joined: Word[] = []
  for (const [index, word] of words.entries()) {
    const last = joined.at(-1)
    const next = words[index + 1]
    // `Suite 4, 118 Main Street`
    const isNoun = next !== undefined && /^\p{L}/u.test(next.text) && next.left - word.right < letterSize(word)
    const isSplit =
      last !== undefined &&
      ((/(^|\D)\d{1,3}[.,]$/.test(last.text) && /^\d{3}([.,]\d{3})*([.,]\d{2})?\)?$/.test(word.text)) ||
        (/^\d{2}$/.test(last.text) && /^-\d{7}$/.test(word.text)))
    if (!isSplit || isNoun || word.left - last.right > 0.8 * letterSize(last)) joined.push(word)
    else
      joined[joined.length - 1] = {
        text: last.text + word.text,
        left: last.left,
        right: word.right,
        top: Math.min(last.top, word.top),
        bottom: Math.max(last.bottom, word.bottom),
        sureness: Math.min(last.sureness, word.sureness),
      }
  }
  return joined
}

/** Rules of tables and dust are read as such signs; a minus, a bracket or a percent sign belongs to a number. */
function isSpeck(text: string): boolean {
  return /^[|_~=.:'"`‘’“”«»°*\\/[\]{}<>—]+$/.test(text)
}

/** How many pixels the lines fall for each pixel to the right. */
function slopeOf(lines: readonly Word[][]): number {
  const slopes: number[] = []
  for (const words of lines) {
    const [first, last] = [words[0], words.at(-1)]
    if (!first || !last || last.left - first.left < 10 * letterSize(first)) continue
    slopes.push((baseOf(last) - baseOf(first)) / (last.left - first.left))
  }
  const slope = median(slopes)
  return Math.abs(slope) < 0.15 ? slope : 0
}

function straight(word: Word, slope: number): number {
  return baseOf(word) - slope * ((word.left + word.right) / 2)
}

/** The baseline: letters such as `g` and signs such as a comma hang below it. */
function baseOf(word: Word): number {
  return word.bottom - (hangs(word.text) ? 0.22 * letterSize(word) : 0)
}

/** The size of the font, by which of its letters the word has. */
function letterSize({ text, top, bottom }: Word): number {
  const above = /[\p{Lu}\p{N}bdfhkltß()$€£%&]/u.test(text) ? 0.72 : 0.52
  return Math.max(1, (bottom - top) / (above + (hangs(text) ? 0.22 : 0)))
}

function hangs(text: string): boolean {
  return /[gjpqyçQ,;()$]/.test(text)
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

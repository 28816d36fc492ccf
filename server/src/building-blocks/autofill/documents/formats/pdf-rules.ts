// The lines that a page draws between its boxes.
import { isNumbers, operators, type PaintedPage, stepsOf } from './pdf-operators.ts'
import type { Matrix } from './picture-painting.ts'
import type { Rules } from './ruled-boxes.ts'

/** A drawing has more of them than a form, and is not looked at any further. */
const mostRules = 3_000
const shortest = 6
const crookedness = 1

/** After so many milliseconds, further pages are read without them: what a page paints is the sender's choice. */
const mostMs = 4_000
const mostPages = 12
/** Of a page, about: forms are small, and what is larger is pictures or drawings. */
const mostBytes = 1_500_000

/** Finds the rules of the first pages of a document of so many bytes. */
export function createRuler(bytesOfPage: number) {
  let leftMs = mostMs
  let pages = 0
  return {
    async rulesOf(page: PaintedPage): Promise<Rules | undefined> {
      if (bytesOfPage > mostBytes || leftMs <= 0 || ++pages > mostPages) return undefined
      const begin = performance.now()
      try {
        return await readRules(page)
      } catch {
        return undefined // its text has been read, and is read without them
      } finally {
        leftMs -= performance.now() - begin
      }
    },
  }
}

async function readRules(page: PaintedPage): Promise<Rules> {
  const OPS = await operators()
  const rules: Rules = { across: [], down: [], squares: [] }
  for await (const { operator, args, matrix } of stepsOf(page)) {
    if (operator !== OPS.constructPath || !Array.isArray(args)) continue
    const [how, paths] = args
    if (how === OPS.endPath || !Array.isArray(paths) || !isNumbers(paths[0])) continue
    if (!addSquare(rules, args[2], matrix)) addPath(rules, paths[0], matrix)
    if (rules.across.length + rules.down.length + rules.squares.length > mostRules)
      return { across: [], down: [], squares: [] }
  }
  return rules
}

/** A box to tick. */
const square = { least: 5, most: 14, crookedness: 1.5 }

/** Whether a path is such a box, by how far it reaches. */
function addSquare(rules: Rules, reach: unknown, matrix: Matrix): boolean {
  if (!isNumbers(reach)) return false
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = reach
  const [[ax, ay], [bx, by]] = [shown([x1, y1], matrix), shown([x2, y2], matrix)]
  const [left, right, top, bottom] = [Math.min(ax, bx), Math.max(ax, bx), Math.min(ay, by), Math.max(ay, by)]
  const [width, height] = [right - left, bottom - top]
  const isSquare = width >= square.least && width <= square.most && Math.abs(width - height) <= square.crookedness
  if (isSquare) rules.squares.push({ left, right, top, bottom })
  return isSquare
}

/** How pdf.js writes a path: a number for each kind of step, and the points that it needs. */
const steps = { move: 0, line: 1, curve: 2, quadratic: 3, close: 4 } as const

function addPath(rules: Rules, path: ArrayLike<number>, matrix: Matrix): void {
  let at = 0
  const point = () => shown([path[at++] ?? 0, path[at++] ?? 0], matrix)
  let [begin, current] = [shown([0, 0], matrix), shown([0, 0], matrix)]
  while (at < path.length) {
    const step = path[at++]
    if (step === steps.move) begin = current = point()
    else if (step === steps.line) {
      const next = point()
      addRule(rules, current, next)
      current = next
    } else if (step === steps.close) {
      addRule(rules, current, begin)
      current = begin
    } else {
      at += step === steps.curve ? 4 : 2
      current = point()
    }
  }
}

type Point = readonly [x: number, y: number]

function shown([x, y]: Point, [a, b, c, d, e, f]: Matrix): Point {
  return [a * x + c * y + e, b * x + d * y + f]
}

function addRule(rules: Rules, [x1, y1]: Point, [x2, y2]: Point): void {
  const [width, height] = [Math.abs(x2 - x1), Math.abs(y2 - y1)]
  if (height <= crookedness && width >= shortest)
    rules.across.push({ at: (y1 + y2) / 2, from: Math.min(x1, x2), to: Math.max(x1, x2) })
  else if (width <= crookedness && height >= shortest)
    rules.down.push({ at: (x1 + x2) / 2, from: Math.min(y1, y2), to: Math.max(y1, y2) })
}

// What a page paints, one step after the other, and where on the page as it is shown.
import { getResolvedPDFJS } from 'unpdf'
import { type Matrix, times } from './picture-painting.ts'

// pdf.js needs it to list what a page with fonts paints; Node has it from version 21 on.
if (!('transferToFixedLength' in ArrayBuffer.prototype))
  Object.defineProperty(ArrayBuffer.prototype, 'transferToFixedLength', {
    value(this: ArrayBuffer, length: number) {
      return this.slice(0, length)
    },
  })

/** What is needed of a page of pdf.js. */
export interface PaintedPage {
  getOperatorList(): Promise<{ fnArray: number[]; argsArray: unknown[] }>
  getViewport(options: { scale: number }): { transform: unknown[] }
}

interface Step {
  operator: number
  args: unknown
  /** From the own measures of what is painted to points from the left and from the top. */
  matrix: Matrix
}

type Operators = Awaited<ReturnType<typeof getResolvedPDFJS>>['OPS']

export async function operators(): Promise<Operators> {
  return (await getResolvedPDFJS()).OPS
}

export async function* stepsOf(page: PaintedPage): AsyncGenerator<Step> {
  const OPS = await operators()
  const { fnArray, argsArray } = await page.getOperatorList()
  const kept: Matrix[] = []
  let matrix = matrixOf(page.getViewport({ scale: 1 }).transform)
  for (const [index, operator] of fnArray.entries()) {
    const args: unknown = argsArray[index]
    const [first] = Array.isArray(args) ? args : []
    if (operator === OPS.save || operator === OPS.paintFormXObjectBegin) kept.push(matrix)
    if (operator === OPS.restore || operator === OPS.paintFormXObjectEnd) matrix = kept.pop() ?? matrix
    if (operator === OPS.transform && Array.isArray(args)) matrix = times(matrix, matrixOf(args))
    if (operator === OPS.paintFormXObjectBegin && isNumbers(first)) matrix = times(matrix, matrixOf([...first]))
    yield { operator, args, matrix }
  }
}

export function matrixOf(values: readonly unknown[]): Matrix {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = values.map(Number)
  return [a, b, c, d, e, f]
}

export function isNumbers(value: unknown): value is ArrayLike<number> & Iterable<number> {
  return Array.isArray(value) || value instanceof Float32Array
}

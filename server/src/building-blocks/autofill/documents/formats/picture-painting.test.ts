import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Matrix, type PaintedPicture, paint } from './picture-painting.ts'

const size = { width: 60, height: 50 }

/** Grows from left to right and from top to bottom, so that neighbours differ little. */
function slope(width: number, height: number, kind: 'rgb' | 'mask', place: Matrix): PaintedPicture {
  const grey = (index: number) =>
    Math.round(((index % width) / width) * 120 + (Math.floor(index / width) / height) * 120)
  const data =
    kind === 'mask'
      ? new Uint8Array(Math.ceil(width / 8) * height)
      : Uint8Array.from({ length: width * height * 3 }, (_, index) => grey(Math.floor(index / 3)))
  return { width, height, data, kind, place, ink: 40 }
}

function painted(picture: PaintedPicture): Uint8Array {
  const paper = new Uint8Array(size.width * size.height).fill(255)
  paint(picture, paper, size, 1)
  return paper
}

test('a picture that stands upright is painted as one that leans by next to nothing, smaller or larger than it is', () => {
  const side = fc.integer({ min: 4, max: 120 })
  const length = fc.double({ min: 10, max: 70, noNaN: true })
  const offset = fc.double({ min: -15, max: 30, noNaN: true })
  fc.assert(
    fc.property(
      fc.record({ width: side, height: side, across: length, down: length, x: offset, y: offset }),
      fc.constantFrom('rgb' as const, 'mask' as const),
      fc.boolean(),
      ({ width, height, across, down, x, y }, kind, isFlipped) => {
        const place = (lean: number): Matrix =>
          isFlipped ? [across, lean, 0, down, x, y] : [across, lean, 0, -down, x, y + down]
        const [upright, leaning] = [0, across * 0.001].map((lean) => painted(slope(width, height, kind, place(lean))))
        const differing = upright?.filter((grey, at) => Math.abs(grey - (leaning?.[at] ?? 0)) > 6).length
        // The edges may fall on the next pixel.
        expect(differing).toBeLessThanOrEqual(2 * (size.width + size.height))
      },
    ),
  )
})

test('pixels keep their places: a black corner stays in its corner', () => {
  const data = new Uint8Array(4 * 4 * 3).fill(255)
  data.fill(0, 0, 3)
  const paper = painted({ width: 4, height: 4, data, kind: 'rgb', place: [40, 0, 0, -40, 0, 40], ink: 0 })
  const at = (x: number, y: number) => paper[y * size.width + x] ?? -1
  expect([at(1, 1), at(38, 1), at(1, 38), at(38, 38), at(45, 5)]).toEqual([0, 255, 255, 255, 255])
})

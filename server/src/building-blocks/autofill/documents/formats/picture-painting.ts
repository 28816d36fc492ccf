// Pictures put on paper: each grey, at its place and in the size in which the page is read.
export type Matrix = readonly [number, number, number, number, number, number]

export interface PaintedPicture {
  width: number
  height: number
  data: Uint8Array | Uint8ClampedArray
  kind: 'bits' | 'rgb' | 'rgba' | 'mask'
  /** From the unit square to the page as shown, in points. */
  place: Matrix
  /** The grey of the letters of a mask. */
  ink: number
}

export function paint(
  picture: PaintedPicture,
  paper: Uint8Array,
  size: { width: number; height: number },
  pixelsAPoint: number,
): void {
  const [a, b, c, d, e, f] = times([pixelsAPoint, 0, 0, pixelsAPoint, 0, 0], picture.place)
  const determinant = a * d - b * c
  if (!Number.isFinite(determinant) || Math.abs(determinant) < 1e-6) return
  const xs = [e, e + a, e + c, e + a + c]
  const ys = [f, f + b, f + d, f + b + d]
  const left = Math.max(0, Math.floor(Math.min(...xs)))
  const right = Math.min(size.width, Math.ceil(Math.max(...xs)))
  const top = Math.max(0, Math.floor(Math.min(...ys)))
  const bottom = Math.min(size.height, Math.ceil(Math.max(...ys)))
  // How the picture's own pixels change with each pixel of the paper, to the right and down.
  const { width, height, ink } = picture
  const across = { x: (d / determinant) * width, y: (b / determinant) * height }
  const down = { x: (-c / determinant) * width, y: (-a / determinant) * height }
  const pixels = greyPixels(picture)
  // Of a finer picture several points are looked at for each pixel: one alone would tear thin lines.
  const finer = Math.min(4, Math.max(1, Math.round(Math.hypot(across.x, across.y))))
  const isMask = picture.kind === 'mask'
  const isUpright = Math.abs(across.y) * size.width < 0.01 && Math.abs(down.x) * size.height < 0.01
  // Lines that are much longer than the paper is wide would be mixed for nothing.
  if (isUpright && width <= 8 * size.width) {
    const columns = mixAlong(left, right, finer, width, (x) => across.x * (x - e))
    const lines = mixAlong(top, bottom, finer, height, (y) => down.y * (y - f) + height)
    if (columns.first === columns.end) return
    const line = new Float32Array(width)
    for (let y = lines.first; y < lines.end; y++) {
      mixLines(line, pixels, lines, y)
      putLine(paper, y * size.width, line, columns, isMask ? ink : undefined)
    }
    return
  }
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      let sum = 0
      let hits = 0
      for (let part = 0; part < finer * finer; part++) {
        const px = x - e + ((part % finer) + 0.5) / finer
        const py = y - f + (Math.floor(part / finer) + 0.5) / finer
        const u = across.x * px + down.x * py
        const v = across.y * px + down.y * py + height
        if (u < 0 || v < 0 || u >= width || v >= height) continue
        if (finer === 1) sum += between(pixels, u - 0.5, v - 0.5, width, height)
        else sum += pixels[Math.floor(v) * width + Math.floor(u)] ?? 0
        hits++
      }
      if (hits > 0) put(paper, y * size.width + x, sum / hits, isMask ? ink : undefined)
    }
  }
}

/**
 * Nearly every scan stands upright. What a pixel of the paper is mixed of is then the same for a whole column, and for a
 * whole line: some pixels along one side of the picture, each with its share.
 */
interface Mix {
  /** The pixels of the paper that the picture reaches. */
  first: number
  end: number
  /** How many pixels of the picture make one of the paper. */
  parts: number
  pixels: Int32Array
  shares: Float32Array
}

function mixAlong(from: number, to: number, finer: number, length: number, pointAt: (place: number) => number): Mix {
  const parts = finer === 1 ? 2 : finer
  const count = Math.max(0, to - from)
  const mix: Mix = {
    first: from,
    end: from,
    parts,
    pixels: new Int32Array(count * parts),
    shares: new Float32Array(count * parts),
  }
  const add = (pixel: number, share: number, part: number) => {
    const at = (mix.end - mix.first) * parts + part
    mix.pixels[at] = pixel
    mix.shares[at] = share
  }
  for (let place = from; place < to; place++) {
    const points = Array.from({ length: finer }, (_, part) => pointAt(place + (part + 0.5) / finer)).filter(
      (point) => point >= 0 && point < length,
    )
    const [point] = points
    if (point === undefined) {
      if (mix.end > mix.first) break
      mix.first = mix.end = place + 1
      continue
    }
    if (finer === 1) {
      const pixel = Math.max(0, Math.floor(point - 0.5))
      const share = Math.max(0, point - 0.5 - pixel)
      add(pixel, 1 - share, 0)
      add(Math.min(length - 1, pixel + 1), share, 1)
    } else for (const [part, one] of points.entries()) add(Math.floor(one), 1 / points.length, part)
    mix.end++
  }
  return mix
}

function mixLines(line: Float32Array, grey: Uint8Array, { first, parts, pixels, shares }: Mix, y: number): void {
  line.fill(0)
  for (let at = (y - first) * parts, last = at + parts; at < last; at++) {
    const share = shares[at] ?? 0
    if (share === 0) continue
    const start = (pixels[at] ?? 0) * line.length
    for (let x = 0; x < line.length; x++) line[x] = (line[x] ?? 0) + share * (grey[start + x] ?? 0)
  }
}

function putLine(
  paper: Uint8Array,
  start: number,
  line: Float32Array,
  { first, end, parts, pixels, shares }: Mix,
  ink: number | undefined,
): void {
  for (let x = first, at = 0; x < end; x++) {
    let sum = 0
    for (let part = 0; part < parts; part++, at++) sum += (shares[at] ?? 0) * (line[pixels[at] ?? 0] ?? 0)
    put(paper, start + x, sum, ink)
  }
}

/** A mask lets through what lies below it. */
function put(paper: Uint8Array, at: number, grey: number, ink: number | undefined): void {
  paper[at] = 0.5 + (ink === undefined ? grey : (paper[at] ?? 255) * (1 - grey / 255) + ink * (grey / 255))
}

/** The grey of every pixel, 0 to 255; of a mask, how much ink it lets through. */
function greyPixels({ data, kind, width, height }: PaintedPicture): Uint8Array {
  const grey = new Uint8Array(width * height)
  const at = (index: number) => data[index] ?? 0
  if (kind === 'bits' || kind === 'mask') {
    const rowBytes = (width + 7) >> 3
    const [clear, set] = kind === 'bits' ? [0, 255] : [255, 0]
    for (let y = 0, to = 0; y < height; y++)
      for (let x = 0; x < width; x++, to++) grey[to] = at(y * rowBytes + (x >> 3)) & (128 >> (x & 7)) ? set : clear
    return grey
  }
  const step = kind === 'rgb' ? 3 : 4
  for (let to = 0, from = 0; to < grey.length; to++, from += step) {
    const value = 0.3 * at(from) + 0.59 * at(from + 1) + 0.11 * at(from + 2)
    const alpha = kind === 'rgb' ? 1 : at(from + 3) / 255
    grey[to] = value * alpha + 255 * (1 - alpha)
  }
  return grey
}

/** The grey at a point, by the four pixels around it. */
function between(grey: Uint8Array, u: number, v: number, width: number, height: number): number {
  const x = Math.max(0, Math.floor(u))
  const y = Math.max(0, Math.floor(v))
  const right = Math.min(width - 1, x + 1) - x
  const below = (Math.min(height - 1, y + 1) - y) * width
  const dx = Math.max(0, u - x)
  const dy = Math.max(0, v - y)
  const at = y * width + x
  const upper = (grey[at] ?? 0) * (1 - dx) + (grey[at + right] ?? 0) * dx
  return upper * (1 - dy) + ((grey[at + below] ?? 0) * (1 - dx) + (grey[at + below + right] ?? 0) * dx) * dy
}

/** First the right one, then the left one. */
export function times([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix {
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f]
}

import type { ByteRange } from '../../platform/storage/file-store.ts'

/**
 * What a Range header asks of a file: one range, everything, or something it does not have. Several ranges at once, and
 * what is not understood, ask for everything: a server may always send it all.
 */
export function readRange(header: string | undefined, size: number): ByteRange | 'everything' | 'unsatisfiable' {
  const match = /^bytes=\s*([0-9]{0,40})-([0-9]{0,40})\s*$/i.exec(header ?? '')
  if (!match || (match[1] === '' && match[2] === '')) return 'everything'
  const [first, last] = [match[1], match[2]]
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return 'everything'
  return start >= size ? 'unsatisfiable' : { start, end }
}

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate as turn } from 'node:timers/promises'
import { createGzip, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { line, readLines } from './lines.ts'

test('a row is read as it was written, whatever characters are in it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-lines-'))
  const file = join(folder, 'a.backup')
  const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', '\r', '\u2028', '\u2029', '\u0085', 'é', '😀') })
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 5 }), async (values) => {
      const written = values.map((value) => ({ row: { value } }))
      writeFileSync(file, gzipSync(written.map(line).join('')))
      const read = []
      for await (const { entry } of readLines(file)) read.push(entry)
      expect(read).toEqual(written)
    }),
    { numRuns: 100, examples: [[['one\u2028two', 'three\u2029']]] },
  )
  rmSync(folder, { recursive: true })
})

test('a line may have any length, and a character may be in two pieces of the file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-lines-'))
  const file = join(folder, 'a.backup')
  const written = [1, 65_536, 3, 400_000, 0].map((length) => ({ row: { value: `|${'é😀'.repeat(length)}` } }))
  for (const end of ['\n', '']) {
    const text = written.map(line).join('').trimEnd() + end
    writeFileSync(file, gzipSync(text))
    const read = []
    for await (const { entry, text } of readLines(file)) read.push([entry, text])
    expect(read).toEqual(written.map((entry) => [entry, line(entry)]))
  }
  rmSync(folder, { recursive: true })
})

test('no more is read than is asked for: lines do not pile up before somebody who is slow', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-lines-'))
  const pipe = join(folder, 'a.backup')
  execFileSync('mkfifo', [pipe])
  let written = 0
  function* rows() {
    for (; written < 200; written++) yield line({ row: { value: randomBytes(50_000).toString('hex') } })
  }
  const writing = pipeline(Readable.from(rows()), createGzip({ level: 0 }), createWriteStream(pipe))
  let read = 0
  for await (const _ of readLines(pipe)) {
    read += 1
    if (read > 1) continue
    for (let before = -1; before < written; ) {
      before = written
      for (let turns = 0; turns < 500; turns++) await turn()
    }
    expect(written).toBeLessThan(20)
  }
  await writing
  expect(read).toBe(200)
  rmSync(folder, { recursive: true })
})

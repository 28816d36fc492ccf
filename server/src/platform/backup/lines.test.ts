import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
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

import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { factsCsv } from '../../../../../test/documents/business-office-files.ts'
import { bankStatementPdf } from '../../../../../test/documents/business-pdfs.ts'
import {
  bombPdf,
  brokenPdf,
  circularPdf,
  cutOffPdf,
  deepPdf,
  doublingTagsPdf,
  encryptedPdf,
  zipBombDocx,
  zipBombXlsx,
} from '../../../../../test/documents/hostile-documents.ts'
import { scannedPdf, smallScan } from '../../../../../test/documents/scanned-pages.ts'
import { hostileXfa } from '../../../../../test/documents/xfa-form.ts'
import { pretendedTesseract } from '../../../../../test/tesseract.ts'
import { runnableProgram } from '../../../../platform/source-bundles.ts'
import { createDocumentReader, readerEntry } from './document-reader.ts'

const pdf = 'application/pdf'
const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const misbehaving = new URL('../../../../../test/documents/misbehaving-reader.ts', import.meta.url)

const request = { subject: { legal_name: 'Acme Ltd', trading_name: null, country: 'GB' }, today: '2026-11-16' }
const reader = createDocumentReader({ concurrency: 2 })
const taken = createDocumentReader({ timeout_ms: 20_000, memory_mb: 64, entry: misbehaving })
const impatient = createDocumentReader({ timeout_ms: 1_000, memory_mb: 64, entry: misbehaving })
const hoarding = createDocumentReader({ memory_mb: 64, entry: misbehaving })
afterAll(() => Promise.all([reader, taken, impatient, hoarding].map((each) => each.close())))

describe('a broken or hostile document', () => {
  test.each([
    ['a PDF with a password', encryptedPdf(), pdf, 'encrypted'],
    ['a PDF that is cut off', cutOffPdf(), pdf, 'malformed'],
    ['a PDF whose pages contain themselves', circularPdf(), pdf, 'malformed'],
    ['a PDF a hundred thousand levels deep', deepPdf(), pdf, 'malformed'],
    ['a DOCX that unpacks to 100 MB', zipBombDocx(100), docx, 'too_large'],
    ['an XLSX that lies about its size', zipBombXlsx(100), xlsx, 'too_large'],
    ['random bytes called PDF', randomBytes(100_000), pdf, 'malformed'],
    ['random bytes called DOCX', randomBytes(100_000), docx, 'malformed'],
    ['random bytes called XLSX', randomBytes(100_000), xlsx, 'malformed'],
    ['nothing at all', Buffer.alloc(0), pdf, 'malformed'],
    ['a picture', randomBytes(100), 'image/gif', 'unsupported'],
    ['a document larger than 64 MB', Buffer.alloc(65 * 1024 * 1024), pdf, 'too_large'],
  ])('%s is refused', async (_name, bytes, contentType, code) => {
    await expect(reader.read(bytes, contentType)).rejects.toMatchObject({ code })
  })

  test.each([
    ['a PDF whose contents never end', bombPdf(100)],
    ['an XFA form fifty thousand levels deep', hostileXfa('deep', 50_000)],
    ['a PDF of 3 KB whose tags are a million parts', doublingTagsPdf(30)],
  ])('%s is stopped by time or memory', async (_name, bytes) => {
    const own = createDocumentReader({ timeout_ms: 1_500 })
    const failure = await own.read(bytes, pdf).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: expect.stringMatching(/^(timed_out|out_of_memory)$/) })
    await own.close()
  })

  test('an XFA form that repeats itself a million times is named as one that could not be read', async () => {
    const { problems } = await reader.find(hostileXfa('repeated', 1_000_000), pdf, request)
    expect(problems).toMatchObject([{ code: 'unread_form' }])
  })

  test('of ten thousand pages that are pictures, the first 200 are looked at', async () => {
    const { pages, is_truncated, problems } = await reader.find(scannedPdf({ pages: 10_000 }), pdf, request)
    expect([pages, is_truncated]).toEqual([200, true])
    expect(problems).toMatchObject([{ code: 'no_text' }])
  })

  test('a PDF without its cross-reference table is still read', async () => {
    const text = await reader.read(brokenPdf(), pdf)
    expect(text.pages.flatMap(({ lines }) => lines).join('\n')).toContain('Closing balance')
  })

  test('a PDF that is encrypted without a password to open it is read', async () => {
    expect((await reader.read(encryptedPdf(''), pdf)).pages).toHaveLength(3)
  })

  test.each([
    ['test/hang', 'timed_out'],
    ['test/flood', 'too_large'],
    ['test/hoard-heap', 'out_of_memory'],
    ['test/hoard-buffers', 'out_of_memory'],
    ['test/crash', 'malformed'],
    ['test/nonsense', 'malformed'],
  ])('a reading process taken over for %s is ended, its document %s', async (contentType, code) => {
    // Only what hangs is waited for until its time is over.
    const by = code === 'timed_out' ? impatient : hoarding
    // Larger than a pipe holds: nobody may wait for a process that takes no more.
    await expect(by.read(Buffer.alloc(20_000_000, 1), contentType)).rejects.toMatchObject({ code })
    expect(childrenOf(process.pid)).toEqual([])
  })

  test('a reading process that ends while its document still arrives has an unreadable one', async () => {
    const arriving = Readable.from(
      (async function* () {
        for (let megabyte = 0; megabyte < 60; megabyte++) {
          await setImmediate()
          yield Buffer.alloc(1_000_000, 1)
        }
      })(),
      { objectMode: false },
    )
    await expect(hoarding.read(arriving, 'test/crash')).rejects.toMatchObject({ code: 'malformed' })
  })

  test('the reading process is given no environment', async () => {
    const text = await taken.read(Buffer.from('x'), 'test/environment')
    expect(text.pages[0]?.lines).toEqual(['TZ'])
  })
})

describe('a reading process with pictures', () => {
  const request = {
    subject: { legal_name: 'Larkspur Joinery Ltd', trading_name: null, country: 'GB' },
    today: '2026-11-16',
  }
  const find = (with_: ReturnType<typeof createDocumentReader>, script: string, signal?: AbortSignal) =>
    with_.find(smallScan(), pdf, { ...request, ocr_program: pretendedTesseract(script) }, signal)
  /** The process that OCR has started on its own, and that it has told of in a file. */
  const begun = async (file: string) => {
    const told = () => (existsSync(file) ? readFileSync(file, 'latin1').trim() : '')
    await expect.poll(told, { timeout: 50_000 }).not.toBe('')
    return Number(told())
  }

  test('has more time than one without, but not without end', async () => {
    const patient = createDocumentReader({ ocr_ms: 3_000 })
    const { problems } = await find(patient, 'exec sleep 600')
    expect(problems).toMatchObject([{ code: 'no_text', message: expect.stringContaining('OCR stops after') }])
    await patient.close()
  })

  test.each(['its time is over', 'it is aborted'])('ends with everything it has started when %s', async (reason) => {
    const own = createDocumentReader({ ocr_ms: 6_000 })
    const folder = mkdtempSync(join(tmpdir(), 'portico-begun-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'pid')
    const stop = new AbortController()
    const finding = find(own, `sleep 600 & echo $! > ${file}; wait`, stop.signal).catch((error: Error) => error.message)
    const pid = await begun(file)
    expect(isAlive(pid)).toBe(true)
    if (reason === 'it is aborted') stop.abort(new Error('not wanted any more'))
    await finding
    await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false)
    await own.close()
  })

  test('is ended when OCR takes too much memory', async () => {
    const small = createDocumentReader({ memory_mb: 128 })
    const hoard = `exec ${process.execPath} -e 'const all = []; setInterval(() => all.push(Buffer.alloc(8e6, 1)), 1)'`
    await expect(find(small, hoard)).rejects.toMatchObject({ code: 'out_of_memory' })
    await small.close()
  })

  test('writes no file', async () => {
    const before = readdirSync(tmpdir())
    await find(reader, 'cat >/dev/null')
    const made = readdirSync(tmpdir()).filter(
      (name) => !before.includes(name) && !name.startsWith('portico-pretended-'),
    )
    expect(made.filter((name) => /tess|magick|ocr|lept/i.test(name))).toEqual([])
  })
})

describe('the reader', () => {
  test('reads a stream as it reads bytes', async () => {
    const bytes = bankStatementPdf()
    const chunks = Array.from({ length: Math.ceil(bytes.length / 100) }, (_, at) =>
      bytes.subarray(at * 100, at * 100 + 100),
    )
    expect(await reader.read(Readable.from(chunks), pdf)).toEqual(await reader.read(bytes, pdf))
  })

  test('a stream that breaks fails with its own error, not as an unreadable document', async () => {
    const broken = new Readable({ read: () => broken.destroy(new Error('the store is gone')) })
    await expect(reader.read(broken, pdf)).rejects.toThrow('the store is gone')
  })

  test('an abort ends a reading that runs and one that waits', async () => {
    const stop = new AbortController()
    const readings = [
      taken.read(Buffer.from('x'), 'test/hang', stop.signal),
      taken.read(Buffer.from('x'), 'test/hang', stop.signal),
    ]
    stop.abort(new Error('not wanted any more'))
    for (const outcome of await Promise.allSettled(readings))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'not wanted any more' } })
    expect(childrenOf(process.pid)).toEqual([])
    // The place is free again.
    expect((await taken.read(Buffer.from('x'), 'test/environment')).pages).toHaveLength(1)
  })

  test('no more documents are read at once than there are places, and all are read', async () => {
    const one = createDocumentReader({ concurrency: 1 })
    let most = 0
    const timer = setInterval(() => {
      most = Math.max(most, childrenOf(process.pid).length)
    }, 20)
    const texts = await Promise.all([factsCsv(), factsCsv(), factsCsv()].map((bytes) => one.read(bytes, 'text/csv')))
    clearInterval(timer)
    expect(texts.map(({ pages }) => pages.length)).toEqual([1, 1, 1])
    expect(most).toBe(1)
    await one.close()
  })

  test('closing ends the processes that run', async () => {
    const closing = createDocumentReader({ entry: misbehaving })
    const reading = closing.read(Buffer.from('x'), 'test/hang').catch((error: Error) => error.message)
    await closing.close()
    expect(await reading).toContain('closed')
    expect(childrenOf(process.pid)).toEqual([])
  })

  test('a process whose parent does not end it ends itself', async () => {
    const entry = readerEntry(new URL('./document-reader.ts', import.meta.url).href)
    const child = spawn(process.execPath, [runnableProgram(entry), pdf, '300'], {
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    // Its document never comes to an end.
    child.stdin.write('%PDF-1.4')
    const [, signal] = await once(child, 'exit')
    expect(signal).toBe('SIGKILL')
  })

  test('the program of the process is the source in development and a bundle beside the main one otherwise', () => {
    expect(readerEntry('file:///app/documents/document-reader.ts').pathname).toBe('/app/documents/reader-process.ts')
    expect(readerEntry('file:///app/dist/chunk-ABC.js').pathname).toBe('/app/dist/document-reader-process.js')
  })
})

/** A process that was killed stays listed until somebody has taken note. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'))
  } catch {
    return false
  }
}

/** Processes that we started and that still run, told by their arguments; a dead one has none. */
function childrenOf(parent: number): string[] {
  return readdirSync('/proc').filter((entry) => {
    if (!/^\d+$/.test(entry)) return false
    try {
      const status = readFileSync(`/proc/${entry}/stat`, 'latin1')
      const fields = status.slice(status.lastIndexOf(')') + 2).split(' ')
      return Number(fields[1]) === parent && /reader-[\w-]+\.mjs/.test(readFileSync(`/proc/${entry}/cmdline`, 'latin1'))
    } catch {
      return false
    }
  })
}

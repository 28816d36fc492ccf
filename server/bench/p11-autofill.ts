// P11: what Autofill fills from documents nobody tuned to, against the facts written beside them before they were read.
// Of what is held out only totals are shown: a reader that was fitted to it is no longer measured by it.
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { fillFrom } from '../src/building-blocks/autofill/confidence.ts'
import { DocumentUnreadable } from '../src/building-blocks/autofill/documents/formats/document-unreadable.ts'
import { createDocumentReader } from '../src/building-blocks/autofill/documents/process/document-reader.ts'
import { readConfig } from '../src/platform/config.ts'
import {
  type CorpusDocument,
  documentsOf,
  factsOf,
  type Judged,
  parts,
  planOf,
  type Score,
  score,
} from './autofill-scoring.ts'
import { longStatement } from './long-statement.ts'
import { type Line, say, showProgress } from './report.ts'

const builtReader = new URL('../dist/document-reader-process.js', import.meta.url)
/** Scans are read where this machine can. */
const ocr_program = readConfig({ PATH: process.env.PATH }).tesseract

/** The corpus was written in this autumn: later, years that are under way in it would be over. */
const today = '2026-11-16'

export async function measureAutofill(): Promise<Line[]> {
  const lines: Line[] = []
  for (const part of parts) {
    const documents = documentsOf(part)
    if (documents.length === 0) continue
    say(`P11 ${part}: ${documents.length} documents, ${ocr_program ? 'with' : 'without'} OCR`)
    lines.push(...linesOf(part, documents.length, await readAll(documents)))
  }
  lines.push(await readLongStatement())
  return lines
}

/** A statement of 200 pages and 9,000 bookings: how long it takes, and how long this process is kept from other work. */
async function readLongStatement(): Promise<Line> {
  const pages = 200
  const bytes = longStatement(pages)
  const reader = createDocumentReader({ entry: builtReader })
  const pauses = monitorEventLoopDelay({ resolution: 1 })
  let peakMegabytes = 0
  const watch = setInterval(() => {
    peakMegabytes = Math.max(peakMegabytes, ...childMegabytes())
  }, 20)
  pauses.enable()
  const begin = performance.now()
  const subject = { legal_name: 'Brightline Haulage Ltd', trading_name: null, country: 'GB' }
  const { facts } = await reader.find(bytes, 'application/pdf', { subject, today })
  const milliseconds = performance.now() - begin
  pauses.disable()
  clearInterval(watch)
  await reader.close()
  const balance = facts.find(
    ({ fact, confidence }) => fact === 'business.bank_balance' && confidence >= fillFrom.documents,
  )?.text
  const longest = pauses.max / 1e6
  return {
    figure: 'P11',
    measured: `a statement of ${pages} pages, ${(bytes.length / 1e6).toFixed(1)} MB`,
    engine: 'none',
    ours:
      `${(milliseconds / 1000).toFixed(1)} s, ${(milliseconds / pages).toFixed(1)} ms and ${(peakMegabytes / pages).toFixed(2)} MB a page, ` +
      `at most ${peakMegabytes.toFixed(0)} MB; closing balance ${balance ?? 'not found'}`,
    theirs: `longest pause of the process that waits: ${longest.toFixed(0)} ms`,
    ratio: '',
    hold: 'none set',
    holds: balance !== undefined,
  }
}

interface Totals {
  scores: Score[]
  /** Documents whose problem was to be named, and those where it was. */
  problems: { wanted: number; named: number }
  pages: number
  milliseconds: number
  peakMegabytes: number
}

async function readAll(documents: readonly CorpusDocument[]): Promise<Totals> {
  const reader = createDocumentReader({ timeout_ms: 60_000, entry: builtReader, concurrency: availableParallelism() })
  const totals: Totals = { scores: [], problems: { wanted: 0, named: 0 }, pages: 0, milliseconds: 0, peakMegabytes: 0 }
  const watch = setInterval(() => {
    totals.peakMegabytes = Math.max(totals.peakMegabytes, ...childMegabytes())
  }, 20)
  let done = 0
  const readOne = async (document: CorpusDocument) => {
    const { path, written } = document
    const { record, content_type } = written
    const subject = {
      legal_name: record.legal_name,
      trading_name: record.trading_name ?? null,
      country: record.country,
    }
    const named: string[] = []
    try {
      const bytes = readFileSync(path)
      const begin = performance.now()
      const found = await reader.find(bytes, content_type, { subject, today, ocr_program })
      totals.milliseconds += performance.now() - begin
      totals.pages += found.pages
      // What OCR has read is named as such instead.
      named.push(...found.problems.map(({ code }) => (code === 'read_by_ocr' ? 'no_text' : code)))
      totals.scores.push(score(document, planOf(factsOf(found.facts), written, today)))
    } catch (error) {
      if (!(error instanceof DocumentUnreadable)) throw error
      named.push(error.code)
      totals.scores.push(score(document, { filled: [], suggested: [], skipped: [] }))
    }
    totals.problems.wanted += written.problems.length
    totals.problems.named += written.problems.filter((code) => named.includes(code)).length
    showProgress('  documents', ++done, documents.length)
  }
  // Each is read in a process of its own: as many at once as there are cores.
  const waiting = [...documents]
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await readOne(next)
  }
  await Promise.all(Array.from({ length: availableParallelism() }, lane))
  clearInterval(watch)
  await reader.close()
  return totals
}

function linesOf(
  part: string,
  count: number,
  { scores, problems, pages, milliseconds, peakMegabytes }: Totals,
): Line[] {
  const filled = scores.flatMap((one) => one.filled)
  const right = filled.filter(({ verdict }) => verdict === 'right').length
  const wanted = scores.reduce((sum, one) => sum + one.wanted, 0)
  const found = wanted - scores.reduce((sum, one) => sum + one.missed.length, 0)
  const line = (measured: string, ours: string, hold: string, holds: boolean): Line => {
    return { figure: 'P11', measured: `${part}: ${measured}`, engine: 'none', ours, theirs: '', ratio: '', hold, holds }
  }
  return [
    line(
      `precision of what is filled, ${count} documents`,
      share(right, filled.length),
      '≥ 0.98',
      right >= 0.98 * filled.length,
    ),
    line('recall', share(found, wanted), '≥ 0.85', found >= 0.85 * wanted),
    line('problems named', share(problems.named, problems.wanted), 'none set', true),
    ...calibration(scores.flatMap(({ candidates }) => candidates)).map(([confidence, own]) => {
      const good = own.filter(({ verdict }) => verdict === 'right').length
      return line(
        `values of confidence ${confidence}`,
        share(good, own.length),
        confidence >= 0.9 ? '≥ 0.90' : 'none set',
        confidence < 0.9 || good >= 0.9 * own.length,
      )
    }),
    line(
      'time and memory',
      `${(milliseconds / Math.max(1, pages)).toFixed(0)} ms a page with the start of the process, at most ${peakMegabytes.toFixed(0)} MB`,
      'none set',
      true,
    ),
  ]
}

function calibration(candidates: readonly Judged[]): [number, Judged[]][] {
  const groups = new Map<number, Judged[]>()
  for (const one of candidates) groups.set(one.confidence, [...(groups.get(one.confidence) ?? []), one])
  return [...groups].sort((a, b) => b[0] - a[0])
}

function share(part: number, whole: number): string {
  return `${part} of ${whole}${whole === 0 ? '' : `, ${(part / whole).toFixed(3)}`}`
}

/** What the processes we have started hold, in megabytes. */
function childMegabytes(): number[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return []
    try {
      const status = readFileSync(`/proc/${entry}/status`, 'latin1')
      if (Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) !== process.pid) return []
      return [Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024]
    } catch {
      return [] // it has ended
    }
  })
}

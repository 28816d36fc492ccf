// The reading process: one document, then it ends. Its type stands in the arguments, what is asked and the document come
// over stdin and the answer goes to stdout, where the parent counts it. Nothing here is trusted by the parent.
import { Console } from 'node:console'
import { writeSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import { findFacts } from '../facts/find-facts.ts'
import { textOf } from '../formats/document-text.ts'
import { createOcr } from '../formats/ocr.ts'
import { readDocument } from '../formats/read-document.ts'
import type { Subject } from '../readings/company-names.ts'
import { doubtRecognised } from './recognised-facts.ts'

/** What the parent wants to know, as the first line of what it sends. Without it only the text is answered. */
export interface ReadRequest {
  subject: Subject
  /** The day of the run: a year that ends later is not over. */
  today: string
  /** The program that reads pictures, where there is one. */
  ocr_program?: string | undefined
}

const [contentType = '', lifeMs = '0', ocrMs = '0'] = process.argv.slice(2)
// Only the answer may go to stdout; what a library prints goes nowhere.
globalThis.console = new Console(process.stderr)
limitLife(Number(lifeMs))
const sent = await buffer(process.stdin)
const lineEnd = sent.indexOf('\n')
// safe because only our own parent writes it
const request = JSON.parse(sent.toString('utf8', 0, lineEnd)) as ReadRequest | null
const ocr = createOcr({ program: request?.ocr_program, time_ms: Number(ocrMs), onBegin: askForTime })
const text = await readDocument(sent.subarray(lineEnd + 1), contentType, ocr)
process.stdout.write(JSON.stringify(answerOf()), () => process.exit(0))

function answerOf(): unknown {
  if (!('pages' in text)) return text
  const { pages, is_truncated, problems } = text
  if (request === null)
    return { pages: pages.map(({ number, lines }) => ({ number, lines: lines.map(textOf) })), is_truncated }
  const { facts, company_owners } = findFacts(text, request.subject, request.today)
  return {
    facts: doubtRecognised(facts, text, request.subject),
    company_owners,
    pages: pages.length,
    is_truncated: is_truncated === true,
    problems: problems ?? [],
  }
}

/** Pictures take longer than text. The parent listens here, and grants it once. */
function askForTime(): void {
  writeSync(3, '.')
}

/** The parent may have been killed and cannot end us. In its own thread: a document can keep this one busy for ever. */
function limitLife(milliseconds: number): void {
  // With its group, in which OCR runs; started by hand it has none of its own.
  const kill = `try { process.kill(-process.pid, 'SIGKILL') } catch { process.kill(process.pid, 'SIGKILL') }`
  const code = `setTimeout(() => { ${kill} }, ${milliseconds})`
  new Worker(code, { eval: true, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 8 } }).unref()
}

// Reads documents of strangers, each in a fresh process that may die without harm. The process is given nothing but the
// document: no environment, no files, no channel back but a pipe whose bytes are counted. It is killed when it takes too
// long, too much memory or says too much; what it says is checked like any other input.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { runnableProgram } from '../../../../platform/source-bundles.ts'
import { createTurns } from '../../../../platform/turns.ts'
import { DocumentTooLarge, DocumentUnreadable } from '../formats/document-unreadable.ts'
import { type FactsOfDocument, type PlainText, toFacts, toFailure, toText } from './reader-answer.ts'
import type { ReadRequest } from './reader-process.ts'

/** Bytes at hand, or a way to them: a store's stream would not wait as long as a document may wait for its turn. */
type DocumentSource = Buffer | Readable | (() => Promise<Readable>)

export interface DocumentReader {
  /** Rejects with DocumentUnreadable when the document is at fault, with the signal's reason when aborted. */
  read(source: DocumentSource, contentType: string, signal?: AbortSignal): Promise<PlainText>
  /** The facts in a document. They are looked for in the process that reads it, which may take its time. */
  find(
    source: DocumentSource,
    contentType: string,
    request: ReadRequest,
    signal?: AbortSignal,
  ): Promise<FactsOfDocument>
  /** Ends what runs and what waits; settles when no process is left. */
  close(): Promise<void>
}

interface DocumentReaderOptions {
  timeout_ms?: number
  /** How much longer a document may take that has pictures to read. */
  ocr_ms?: number
  /** Of the process and what it starts. */
  memory_mb?: number
  concurrency?: number
  /** The program of the reading process. */
  entry?: URL
}

const largestDocument = 64 * 1024 * 1024
const largestAnswer = 8 * 1024 * 1024
const memoryCheckMs = 50
/** How much longer than our own timeout an orphan may live. */
const orphanMs = 5_000

export function createDocumentReader({
  timeout_ms = 20_000,
  ocr_ms = 60_000,
  memory_mb = 256,
  concurrency = 1,
  entry = readerEntry(import.meta.url),
}: DocumentReaderOptions = {}): DocumentReader {
  const closing = new AbortController()
  const running = new Set<Promise<unknown>>()
  const turns = createTurns(concurrency)

  const readInTurn = async (task: Task, from: DocumentSource, contentType: string, signal: AbortSignal) => {
    let source = typeof from === 'function' ? undefined : streamOf(from)
    try {
      const leave = await turns.enter(signal)
      try {
        // It may have been aborted between its turn and now.
        signal.throwIfAborted()
        source ??= typeof from === 'function' ? await from() : streamOf(from)
        // Opening may have taken its time.
        signal.throwIfAborted()
        return await readInProcess({ task, source, contentType, signal, entry, timeout_ms, ocr_ms, memory_mb })
      } finally {
        leave()
      }
    } finally {
      source?.destroy()
    }
  }
  const inTurn = (task: Task, from: DocumentSource, contentType: string, signal: AbortSignal | undefined) => {
    const both = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal
    const reading = readInTurn(task, from, contentType, both)
    const settled: Promise<unknown> = reading.catch(() => undefined).finally(() => running.delete(settled))
    running.add(settled)
    return reading
  }

  return {
    async read(from, contentType, signal) {
      const answer = toText(await inTurn(undefined, from, contentType, signal))
      if (!answer) throw malformed()
      return answer
    },
    async find(from, contentType, request, signal) {
      const answer = toFacts(await inTurn(request, from, contentType, signal))
      if (!answer) throw malformed()
      return answer
    },
    async close() {
      closing.abort(new Error('The document reader was closed. Read the document again after the restart.'))
      await Promise.all(running)
    },
  }
}

/** The child's program: beside us, as source in development and as a bundle of its own otherwise. */
export function readerEntry(moduleUrl: string): URL {
  return new URL(moduleUrl.endsWith('.ts') ? './reader-process.ts' : './document-reader-process.js', moduleUrl)
}

/** What facts the reading process is to look for; only the text without. */
type Task = ReadRequest | undefined

interface Reading {
  task: Task
  source: Readable
  contentType: string
  signal: AbortSignal
  entry: URL
  timeout_ms: number
  ocr_ms: number
  memory_mb: number
}

async function readInProcess(reading: Reading) {
  const { task, source, contentType, signal, entry, timeout_ms, ocr_ms, memory_mb } = reading
  const child = startProcess(entry, memory_mb, [contentType, String(timeout_ms + ocr_ms + orphanMs), String(ocr_ms)])
  let failure: unknown
  // The first reason counts: what follows is only the process dying of it.
  const kill = (reason: unknown) => {
    failure ??= reason
    killGroup(child)
  }
  const onAbort = () => kill(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  let timer = setTimeout(() => kill(timedOut()), timeout_ms)
  // Said once, when the first picture is read; it need not be true, so the time is limited all the same.
  child.stdio[3]?.once('data', () => {
    clearTimeout(timer)
    timer = setTimeout(() => kill(timedOut()), timeout_ms + ocr_ms)
  })
  const memoryTimer = setInterval(async () => {
    if ((await residentMegabytes(child.pid)) > 2 * memory_mb) kill(outOfMemory())
  }, memoryCheckMs)

  try {
    const ended = endOf(child)
    const answer = collectAnswer(child, kill)
    // Not awaited: a process that died takes no more, and only its end tells why.
    void sendDocument(task, source, child, kill)
    const { code, signal: endedBy } = await ended
    if (failure !== undefined) throw failure
    if (code !== 0) throw crashed(code, endedBy)
    const said = answer()
    const unreadable = toFailure(said)
    if (unreadable) throw new DocumentUnreadable(unreadable.error, unreadable.message)
    return said
  } finally {
    clearTimeout(timer)
    clearInterval(memoryTimer)
    // What it has started does not outlive it.
    killGroup(child)
    signal.removeEventListener('abort', onAbort)
  }
}

function startProcess(entry: URL, memoryMb: number, given: readonly string[]): ChildProcess {
  const path = runnableProgram(entry)
  const limits = [`--max-old-space-size=${memoryMb}`, '--disallow-code-generation-from-strings']
  return spawn(process.execPath, [...limits, path, ...given], {
    // Where the packages of the program are found.
    cwd: dirname(path),
    env: { TZ: 'UTC' },
    stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
    // In a group of its own, which ends as a whole.
    detached: true,
  })
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nobody is left in it.
  }
}

function endOf(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  const { promise, resolve, reject } = withResolvers<{ code: number | null; signal: NodeJS.Signals | null }>()
  // 'close' comes after the last byte of the answer, but only when nobody holds on to the pipes.
  child.once('exit', () => child.stdin?.destroy())
  child.once('close', (code, signal) => resolve({ code, signal }))
  // It could not be started: our fault or the machine's, so not an unreadable document. 'close' need not follow.
  child.on('error', (error) => child.pid === undefined && reject(error))
  return promise
}

function collectAnswer(child: ChildProcess, kill: (reason: unknown) => void): () => string {
  const chunks: Buffer[] = []
  let size = 0
  child.stdout?.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > largestAnswer)
      kill(new DocumentTooLarge('The document contains too much text. Upload only the relevant part.'))
    else chunks.push(chunk)
  })
  return () => Buffer.concat(chunks).toString('utf8')
}

async function sendDocument(
  task: Task,
  source: Readable,
  child: ChildProcess,
  kill: (reason: unknown) => void,
): Promise<void> {
  if (!child.stdin) return
  // A process that ends without having read everything breaks the pipe, perhaps after the last byte has left; its end tells.
  child.stdin.on('error', () => undefined)
  // A broken pipe ends the source too, with the same error: what ends it first is its own.
  let failed: unknown = source.errored
  source.once('error', (error) => {
    if (!child.stdin?.destroyed) failed = error
  })
  // Not in the arguments, which every user of the machine may read.
  child.stdin.write(`${JSON.stringify(task ?? null)}\n`)
  let size = 0
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      done(
        size > largestDocument
          ? new DocumentTooLarge('The document must not be larger than 64 MiB. Upload it in parts.')
          : null,
        chunk,
      )
    },
  })
  try {
    await pipeline(source, count, child.stdin)
  } catch (error) {
    // A process that ended early shows here as a broken pipe; why it ended is what counts then.
    if (error instanceof DocumentTooLarge || (failed !== null && failed === error)) kill(error)
  }
}

/** With the processes it has started. 0 where there is no /proc: the limit of the heap must do there. */
async function residentMegabytes(pid: number | string | undefined, depth = 0): Promise<number> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'latin1')
    const own = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024
    if (depth === 3) return own
    // Not every kernel lists them.
    const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'latin1').catch(() => '')
    const children = list.split(' ').filter((child) => child !== '')
    const theirs = await Promise.all(children.map((child) => residentMegabytes(child, depth + 1)))
    return theirs.reduce((sum, megabytes) => sum + megabytes, own)
  } catch {
    return 0
  }
}

function crashed(code: number | null, signal: NodeJS.Signals | null): DocumentUnreadable {
  // V8 aborts when its heap is full; a SIGKILL that is not ours is the system's, short of memory.
  return signal === 'SIGABRT' || signal === 'SIGKILL' || code === 134 ? outOfMemory() : malformed()
}

function timedOut(): DocumentUnreadable {
  return new DocumentUnreadable('timed_out', 'Reading the document took too long. Upload a shorter document.')
}

function outOfMemory(): DocumentUnreadable {
  return new DocumentUnreadable(
    'out_of_memory',
    'Reading the document needs too much memory. Upload a smaller document.',
  )
}

function malformed(): DocumentUnreadable {
  return new DocumentUnreadable(
    'malformed',
    'The file is damaged. Open it, save it as a new file and upload that file.',
  )
}

function streamOf(bytes: Buffer | Readable): Readable {
  return Buffer.isBuffer(bytes) ? Readable.from([bytes], { objectMode: false }) : bytes
}

function withResolvers<Value>() {
  let resolve: (value: Value) => void = () => undefined
  let reject: (reason: unknown) => void = () => undefined
  const promise = new Promise<Value>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}

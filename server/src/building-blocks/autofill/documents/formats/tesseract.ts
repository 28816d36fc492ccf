// Tesseract, the program that reads pictures, where the machine has it. It gets the picture over stdin and leaves no file
// behind. It may hang, flood or be another program altogether: it is killed when it takes too long or says too much, and
// what it says is only ever read as a table of words.
import { spawn } from 'node:child_process'

/** A picture as a file: PNG, JPEG or PGM. */
export interface Picture {
  bytes: Uint8Array
  /** Pixels an inch, where known. */
  dpi?: number
}

export interface Tesseract {
  /** As it calls itself. */
  version: string
  /** Of the languages Autofill knows, those it has data for. */
  languages: string[]
}

/** The languages Autofill knows labels in, as Tesseract calls them. */
const knownLanguages = ['eng', 'deu', 'fra', 'spa']
const largestOutput = 4 * 1024 * 1024
const lookMs = 5_000

/** Undefined when the program cannot be run, is not Tesseract or has no data for any known language. */
export async function examineTesseract(program: string): Promise<Tesseract | undefined> {
  const [about, list] = await Promise.all([run(program, ['--version'], lookMs), run(program, ['--list-langs'], lookMs)])
  const version = /^tesseract \S{1,40}/m.exec(about ?? '')?.[0]
  const named = new Set((list ?? '').split(/\r?\n/).map((line) => line.trim()))
  const languages = knownLanguages.filter((language) => named.has(language))
  return version !== undefined && languages.length > 0 ? { version, languages } : undefined
}

/** The words of a picture as Tesseract's table; undefined when it failed or took too long. */
export function recognise(
  program: string,
  languages: readonly string[],
  { bytes, dpi }: Picture,
  timeoutMs: number,
): Promise<string | undefined> {
  const resolution = dpi === undefined ? [] : ['--dpi', String(Math.round(dpi))]
  return run(program, ['stdin', 'stdout', '-l', languages.join('+'), ...resolution, 'tsv'], timeoutMs, bytes)
}

/** What the program writes to stdout; undefined when it fails. */
function run(
  program: string,
  args: readonly string[],
  timeoutMs: number,
  input?: Uint8Array,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    // One thread: more make one page hardly faster and other work slower.
    const env = { OMP_THREAD_LIMIT: '1', LC_ALL: 'C' }
    const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'ignore'] })
    const chunks: Buffer[] = []
    let size = 0
    const end = (output: string | undefined) => {
      clearTimeout(timer)
      child.kill('SIGKILL')
      child.stdout.destroy()
      resolve(output)
    }
    const timer = setTimeout(end, Math.max(0, timeoutMs), undefined)
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > largestOutput) end(undefined)
      else chunks.push(chunk)
    })
    child.once('error', () => end(undefined))
    child.once('close', (code) => end(code === 0 ? Buffer.concat(chunks).toString('utf8') : undefined))
    // It may end without reading to the end.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}

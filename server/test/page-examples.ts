// Runs the curl examples of the reference as a reader would: the code blocks of each page, as they are, one page after
// the other in the order of the reference, in a real shell against a server that has the demo data.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

interface PageExample {
  /** The id of the operation. */
  id: string
  setup: string
  command: string
}

interface ExampleOutcome {
  /** The statuses of all requests of the setup and of the example itself. */
  setup: readonly number[]
  statuses: readonly number[]
  /** What the setup printed: the ids it found. */
  found: string
  /** What the example printed: the body of its last response. */
  printed: string
}

/** The examples of every operation page that the reference leads to, in its order. */
export async function readPageExamples(origin: string): Promise<PageExample[]> {
  const read = async (path: string) => (await fetch(`${origin}/docs/rest-api-reference/${path}`)).text()
  const linksOf = (text: string, form: RegExp) => [...new Set([...text.matchAll(form)].map(([, link = '']) => link))]
  const resources = linksOf(await read('index.md'), /^## \[[^\]]+\]\(([a-z-]+\.md)\)/gm)
  const examples: PageExample[] = []
  for (const resource of resources) {
    for (const link of linksOf(await read(resource), /\]\((operations\/[\w.]+\.md)\)/g)) {
      const blocks = [...(await read(link)).matchAll(/```bash\n([\s\S]*?)\n```/g)].map(([, code = '']) => code)
      const [setup = '', command = ''] = blocks
      examples.push({ id: link.slice('operations/'.length, -'.md'.length), setup, command })
    }
  }
  return examples
}

/** Runs them in one go; each page begins in a shell that knows nothing but the key. */
export async function runPageExamples(
  examples: readonly PageExample[],
  key: string,
): Promise<Map<string, ExampleOutcome>> {
  const directory = mkdtempSync(join(tmpdir(), 'portico-pages-'))
  const mark = '--- next ---'
  const next = `echo; echo '${mark}'; echo '${mark}' >&2`
  const script = [
    // Statuses go where no example looks.
    `curl() { command curl -sS -w '%{stderr}status %{http_code}\\n' "$@"; }`,
    ...examples.map(({ setup, command }) => `(\n${setup}\n${next}\n${command}\n)\n${next}`),
  ]
  try {
    const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-uc', script.join('\n')], {
      cwd: directory,
      timeout: 170_000,
      maxBuffer: 64 * 1024 * 1024,
      env: { PATH: process.env.PATH ?? '', PORTICO_API_KEY: key },
    })
    const printed = stdout.split(mark).map((text) => text.trim())
    const statuses = stderr
      .split(mark)
      .map((text) => [...text.matchAll(/^status (\d{3})\r?$/gm)].map(([, status]) => Number(status)))
    return new Map(
      examples.map(({ id }, index) => [
        id,
        {
          found: printed[2 * index] ?? '',
          printed: printed[2 * index + 1] ?? '',
          setup: statuses[2 * index] ?? [],
          statuses: statuses[2 * index + 1] ?? [],
        },
      ]),
    )
  } finally {
    rmSync(directory, { recursive: true })
  }
}

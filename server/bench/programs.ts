// What is measured is built code, and a copy of it: a build that runs meanwhile must not change it under our hands.
// The copies lie below node_modules, where they find their packages and nobody commits them.
import { execFile } from 'node:child_process'
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { asTheServerIsBuilt } from '../src/platform/source-bundles.ts'

const folder = fileURLToPath(new URL(`../../node_modules/.cache/portico-bench-${process.pid}/`, import.meta.url))

/** The built server; `copyPrograms` puts it there. */
export const porticoProgram = join(folder, 'bin/portico.js')
export const bareProgram = join(folder, 'bare-server.js')
export const bareSenderProgram = join(folder, 'bare-sender.js')

export async function copyPrograms(): Promise<void> {
  // The SQLite package looks for its binaries (prebuilds) one folder above the bundle.
  for (const name of ['package.json', 'bin', 'demo-documents', 'dist', 'prebuilds'])
    cpSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), join(folder, name), { recursive: true })
  for (const [source, outfile] of [
    ['bare-server.ts', bareProgram],
    ['bare-sender.ts', bareSenderProgram],
  ] as const)
    await build({
      entryPoints: [fileURLToPath(new URL(source, import.meta.url))],
      outfile,
      ...asTheServerIsBuilt,
    })
}

/** A change to one file of the server's source. */
export interface Edit {
  /** Below server/src. */
  file: string
  from: RegExp
  to: string
}

/** The server built with some of its source changed; returns the program. */
export async function buildVariant(name: string, edits: readonly Edit[]): Promise<string> {
  const outdir = join(folder, name)
  await build({
    entryPoints: { main: fileURLToPath(new URL('../src/cli/main.ts', import.meta.url)) },
    outdir,
    splitting: true,
    ...asTheServerIsBuilt,
    plugins: [
      {
        name: 'edits',
        setup({ onLoad }) {
          onLoad({ filter: /server\/src\/.*\.ts$/ }, ({ path }) => {
            const own = edits.filter(({ file }) => path.endsWith(`/server/src/${file}`))
            if (own.length === 0) return undefined
            let contents = readFileSync(path, 'utf8')
            for (const { from, to, file } of own) {
              const changed = contents.replace(from, to)
              if (changed === contents) throw new Error(`${file} has nothing that ${from} finds`)
              contents = changed
            }
            return { contents, loader: 'ts' }
          })
        },
      },
    ],
  })
  return join(outdir, 'main.js')
}

export function removePrograms(): void {
  rmSync(folder, { recursive: true, force: true })
}

/** Runs a command of the program that prints JSON. */
export async function runPortico(
  args: readonly string[],
  environment: Record<string, string>,
  { timeoutMs = 60_000 } = {},
) {
  const { stdout } = await promisify(execFile)(process.execPath, [porticoProgram, ...args, '--json'], {
    env: { ...inheritedEnvironment(), ...environment },
    timeout: timeoutMs,
  })
  return JSON.parse(stdout)
}

/** Settings of whoever starts a measurement must not take part in it. */
export function inheritedEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR = '/tmp' } = process.env
  return { PATH, HOME, TMPDIR }
}

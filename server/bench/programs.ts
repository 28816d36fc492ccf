// What is measured is built code, and a copy of it: a build that runs meanwhile must not change it under our hands.
// The copies lie below node_modules, where they find their packages and nobody commits them.
import { execFile } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'

const folder = fileURLToPath(new URL(`../../node_modules/.cache/portico-bench-${process.pid}/`, import.meta.url))

/** The built server; `copyPrograms` puts it there. */
export const porticoProgram = join(folder, 'dist/main.js')
export const bareProgram = join(folder, 'bare-server.js')

export async function copyPrograms(): Promise<void> {
  cpSync(fileURLToPath(new URL('../dist', import.meta.url)), join(folder, 'dist'), { recursive: true })
  await build({
    entryPoints: [fileURLToPath(new URL('bare-server.ts', import.meta.url))],
    outfile: bareProgram,
    // As scripts/build.mjs does it for the server.
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    external: ['@photostructure/sqlite', 'pg-native'],
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
    logLevel: 'warning',
  })
}

export function removePrograms(): void {
  rmSync(folder, { recursive: true, force: true })
}

/** Runs a command of the program that prints JSON. */
export async function runPortico(args: readonly string[], environment: Record<string, string>) {
  const { stdout } = await promisify(execFile)(process.execPath, [porticoProgram, ...args, '--json'], {
    env: { ...inheritedEnvironment(), ...environment },
    timeout: 60_000,
  })
  return JSON.parse(stdout)
}

/** Settings of whoever starts a measurement must not take part in it. */
export function inheritedEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR = '/tmp' } = process.env
  return { PATH, HOME, TMPDIR }
}

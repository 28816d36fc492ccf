// Programs that run beside the main one, in a process or a thread of their own. The built ones are JavaScript already;
// in development and in tests they are made from source.
import { rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions } from 'esbuild'

/** As scripts/build.mjs builds such programs; but SQLite stays outside, for its binaries lie beside its package. */
export const asTheServerIsBuilt = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  external: ['@photostructure/sqlite', 'pg-native'],
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
  },
  logLevel: 'warning',
} as const satisfies BuildOptions

/** By the path of the program. Who starts several processes from source may make the bundles once and name them here. */
export const knownBundles = new Map<string, string>()

/** Beside our packages, so that a bundle finds those that stay outside. */
export const bundleFolder = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url))

/** Where Node finds a program. From source, a bundle is made once and loaded in a moment; a loader would begin anew each time. */
export function runnableProgram(entry: URL): string {
  const path = fileURLToPath(entry)
  if (!path.endsWith('.ts')) return path
  const known = knownBundles.get(path)
  if (known !== undefined) return known
  const require = createRequire(import.meta.url)
  const outfile = join(bundleFolder, `${basename(path, '.ts')}-${process.pid}-${knownBundles.size}.mjs`)
  require('esbuild').buildSync({
    entryPoints: [path],
    outfile,
    ...asTheServerIsBuilt,
  })
  process.once('exit', () => rmSync(outfile, { force: true }))
  knownBundles.set(path, outfile)
  return outfile
}

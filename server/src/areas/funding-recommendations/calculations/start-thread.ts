// Starts the matching thread: from a bundle of its own, or from source in development and in tests.
import { rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { ThreadData } from './matching-task.ts'

export function startThread(entry: URL | undefined, workerData: ThreadData): Worker {
  const isSource = import.meta.url.endsWith('.ts')
  const found = entry ?? new URL(`./matching-thread.${isSource ? 'ts' : 'js'}`, import.meta.url)
  return new Worker(isSource ? bundleOf(found) : found, { workerData })
}

const bundles = new Map<string, string>()

/** A thread knows no TypeScript. A bundle is made once and loaded in a moment; a loader would begin anew each time. */
function bundleOf(entry: URL): string {
  const known = bundles.get(entry.href)
  if (known !== undefined) return known
  const require = createRequire(import.meta.url)
  // Beside our packages, so that the bundle finds those that stay outside.
  const folder = new URL('../../../../node_modules/.cache/', import.meta.url)
  const outfile = fileURLToPath(new URL(`matching-thread-${process.pid}-${bundles.size}.mjs`, folder))
  require('esbuild').buildSync({
    entryPoints: [fileURLToPath(entry)],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    external: ['@photostructure/sqlite', 'pg-native'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'warning',
  })
  process.once('exit', () => rmSync(outfile, { force: true }))
  bundles.set(entry.href, outfile)
  return outfile
}

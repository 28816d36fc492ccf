// The programs that run beside the server, and those that tests put in their place, bundled from source once for the whole
// run: each process of the tests would make its own.
import { rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { TestProject } from 'vitest/node'
import { asTheServerIsBuilt, bundleFolder } from '../src/platform/source-bundles.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The bundle of each program, by its path. */
    sourceBundles: Readonly<Record<string, string>>
  }
}

const programs = [
  'src/areas/funding-recommendations/calculations/matching-thread.ts',
  'src/building-blocks/autofill/documents/process/reader-process.ts',
  'src/platform/database/sqlite-check-thread.ts',
  'test/documents/misbehaving-reader.ts',
  'test/matching/misbehaving-thread.ts',
].map((path) => fileURLToPath(new URL(`../${path}`, import.meta.url)))

export default async function setup(project: TestProject) {
  const bundles = programs.map((path) => [path, `${basename(path, '.ts')}-${process.pid}`] as const)
  const make = () =>
    build({
      entryPoints: bundles.map(([path, name]) => ({ in: path, out: name })),
      outdir: bundleFolder,
      outExtension: { '.js': '.mjs' },
      ...asTheServerIsBuilt,
    })
  await make()
  // Who watches has changed something.
  project.onTestsRerun(async () => void (await make()))
  const placed = bundles.map(([path, name]) => [path, join(bundleFolder, `${name}.mjs`)] as const)
  project.provide('sourceBundles', Object.fromEntries(placed))
  return () => {
    for (const [, file] of placed) rmSync(file, { force: true })
  }
}

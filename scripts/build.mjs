// Bundles the server into server/dist: one file to load instead of a thousand, which keeps a cold start short.
// The SDK becomes one file of plain JavaScript beside it.
import { rmSync } from 'node:fs'
import { build } from 'esbuild'

const outdir = 'server/dist'
rmSync(outdir, { recursive: true, force: true })
await build({
  entryPoints: {
    main: 'server/src/cli/main.ts',
    // Documents of strangers are read in a process of their own.
    'document-reader-process': 'server/src/building-blocks/autofill/documents/process/reader-process.ts',
    // Projects are matched beside requests, in a thread.
    'matching-thread': 'server/src/areas/funding-recommendations/calculations/matching-thread.ts',
  },
  outdir,
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  sourcemap: true,
  external: ['@photostructure/sqlite', 'pg-native'],
  // Bundled CommonJS packages still ask for Node's own modules through require.
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
  },
  logLevel: 'warning',
})

await build({
  entryPoints: ['sdk/src/client.ts'],
  outfile: 'sdk/dist/client.js',
  bundle: true,
  platform: 'neutral',
  target: 'es2022',
  format: 'esm',
  logLevel: 'warning',
})

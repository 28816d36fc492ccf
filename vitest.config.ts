import { existsSync, statfsSync } from 'node:fs'
import { configDefaults, defineConfig } from 'vitest/config'

const everywhere = { testTimeout: 60_000, hookTimeout: 60_000 }
const needsNoDatabase = ['server/src/**/*.test.ts', 'sdk/src/**/*.test.ts']
/**
 * What is the same whatever the database is, is looked at once: documents, examples that readers copy, headers, and
 * programs that know Portico only by its API.
 */
const once = [
  ...['reference', 'reference-examples', 'openapi-document', 'guides', 'autofill-guide'],
  ...['odd-headers', 'lost-output', 'sdk', 'webhook-command-line'],
].map((name) => `server/test/${name}.test.ts`)
/** What only PostgreSQL can suffer is not there on SQLite, rather than skipped. */
const notHere = { sqlite: ['**/*.postgres.test.ts'], postgres: once }

// What the tests write is thrown away: where memory has room for it, nobody waits for a disk.
const memory = '/dev/shm'
const room = 2 * 1024 ** 3
if (existsSync(memory)) {
  const { bavail, bsize } = statfsSync(memory)
  if (bavail * bsize >= room) process.env.TMPDIR = memory
}

export default defineConfig({
  test: {
    // Once for all projects: none of them takes this over.
    globalSetup: './server/test/postgres-cluster.ts',
    // One more than the cores of a small machine: much of what the tests do is wait for other processes.
    maxWorkers: 3,
    projects: [
      { test: { ...everywhere, name: 'pure', include: needsNoDatabase } },
      ...(['sqlite', 'postgres'] as const).map((engine) => ({
        test: {
          ...everywhere,
          name: engine,
          // The files of an engine share the modules they test, which would otherwise be loaded for each of them.
          isolate: false,
          include: ['server/test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...notHere[engine]],
          env: { PORTICO_TEST_ENGINE: engine },
        },
      })),
    ],
  },
})

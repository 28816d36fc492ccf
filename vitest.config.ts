import { existsSync, statfsSync } from 'node:fs'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** When a test, or its waiting for a condition, is given up: many times what it takes, because nothing is measured by it. */
const everywhere = {
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000 } },
  setupFiles: './server/test/use-source-bundles.ts',
  // Room for what a test throws away: with less, a twentieth of the time goes into collecting it.
  execArgv: ['--max-semi-space-size=64'],
}
/** The files of a project share the modules they test, which would otherwise be loaded for each of them. */
const sharing = { ...everywhere, isolate: false }
const throughTheDoor = 'server/test/**/*.test.ts'
/** What needs no database shares the modules of those that do. */
const onEngine = {
  sqlite: [throughTheDoor, 'server/src/**/*.test.ts', 'sdk/src/**/*.test.ts'],
  postgres: [throughTheDoor],
}
/** They load undici, which changes the `fetch` of its whole process: nobody else is to test with that. */
const changesFetch = [
  ...['hostile-input', 'platform/outbound/calls', 'platform/outbound/misbehaving-servers'],
  'platform/storage/direct-upload',
].map((name) => `server/src/${name}.test.ts`)
/**
 * What is the same whatever the database is, is looked at once: documents, examples that readers copy, the demo, headers,
 * answers that nobody reads, stored files, threads and processes beside the server, how processes begin and end, and
 * programs that know Portico only by its API.
 */
const once = [
  ...['reference', 'reference-examples', 'openapi-document', 'event-examples', 'guides', 'autofill-guide', 'handbook'],
  ...['odd-headers', 'lost-output', 'installation', 'sdk', 'webhook-command-line', 'trigger', 'receive-updates'],
  ...['stored-files', 'matching-thread', 'autofill-problems', 'request-logs', 'traces', 'pipelining', 'clamav'],
  ...['scanning', 'object-store', 'demo', 'demo-deals', 'demo-autofill', 'faults/unread-pipelines', 'code-cache'],
  ...['start-script', 'stop-signals', 'small-disks', 'started-by-systemd'],
].map((name) => `server/test/${name}.test.ts`)
/** What only PostgreSQL can suffer is not there on SQLite, rather than skipped. */
const notHere = { sqlite: ['**/*.postgres.test.ts'], postgres: once }

/** The shortest at the end, so that nobody is alone there: what tests one file of the source. */
class ShortestLast extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const stages: ((file: TestSpecification) => boolean)[] = [
      ({ project }) => project.name === 'undici',
      ({ project }) => project.name === 'postgres',
      ({ moduleId }) => moduleId.includes('/server/test/'),
      () => true,
    ]
    const stageOf = (file: TestSpecification) => stages.findIndex((isIn) => isIn(file))
    return (await super.sort(files)).sort((a, b) => stageOf(a) - stageOf(b))
  }
}

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
    globalSetup: ['./server/test/postgres-cluster.ts', './server/test/source-bundles.ts'],
    // More than a small machine has cores: much of what the tests do is wait for other processes.
    maxWorkers: 4,
    sequence: { sequencer: ShortestLast },
    projects: [
      { test: { ...everywhere, name: 'undici', include: changesFetch } },
      ...(['sqlite', 'postgres'] as const).map((engine) => ({
        test: {
          ...sharing,
          name: engine,
          include: onEngine[engine],
          exclude: [...configDefaults.exclude, ...notHere[engine], ...changesFetch],
          env: { PORTICO_TEST_ENGINE: engine },
        },
      })),
    ],
  },
})

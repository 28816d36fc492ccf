// npm run bench [-- p1 p3] [-- --engine sqlite] [-- --quick]: measures the named figures, or all of them but the soak,
// which takes an hour on each engine: npm run bench -- soak [-- --minutes 60].
// What happens goes to standard error, the table to standard output.
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { startPostgresCluster } from '../test/postgres-cluster.ts'
import { measureBulkAnswers } from './bulk-answers.ts'
import { measureCalculations } from './calculations.ts'
import { measureConditions } from './conditions.ts'
import { measureDealGrowth } from './deal-growth.ts'
import type { Engine } from './deployments.ts'
import { measureLargeCatalogue } from './large-catalogue.ts'
import { generator } from './load.ts'
import { measureRead } from './p1-read-business.ts'
import { measureList } from './p2-list-businesses.ts'
import { measureCreate } from './p3-create-business.ts'
import { measureMatching } from './p4-matching.ts'
import { measureDeliveries } from './p5-deliveries.ts'
import { measureGrowth } from './p6-growth.ts'
import { measureStartAndMemory } from './p7-start-and-memory.ts'
import { measureTransfers } from './p8-transfers.ts'
import { measureTwoProcesses } from './p9-two-processes.ts'
import { measureCommitToSink } from './p10-commit-to-sink.ts'
import { measureAutofill } from './p11-autofill.ts'
import { measurePrivateInternals } from './private-internals.ts'
import { describeCores, killAll, takeDriverCore } from './processes.ts'
import { copyPrograms, removePrograms } from './programs.ts'
import { measureOverload } from './r13-overload.ts'
import { type Line, say, toMarkdown } from './report.ts'
import { measureSoak } from './soak.ts'
import { measureStorage } from './storage.ts'
import type { Settings } from './throughput.ts'

const figures: Record<string, (settings: Settings) => Promise<Line[]>> = {
  p1: measureRead,
  p2: measureList,
  p3: measureCreate,
  p4: measureMatching,
  p5: measureDeliveries,
  p6: measureGrowth,
  deals: measureDealGrowth,
  p7: measureStartAndMemory,
  p8: measureTransfers,
  p9: measureTwoProcesses,
  p10: measureCommitToSink,
  autofill: measureAutofill,
  r13: measureOverload,
  calculations: measureCalculations,
  catalogue: measureLargeCatalogue,
  answers: measureBulkAnswers,
  conditions: measureConditions,
  internals: measurePrivateInternals,
  storage: measureStorage,
  soak: measureSoak,
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: 'string' },
    quick: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '60' },
  },
})
const names =
  positionals.length > 0
    ? positionals.map((name) => name.toLowerCase())
    : Object.keys(figures).filter((name) => name !== 'soak')
const unknown = names.filter((name) => !(name in figures))
if (unknown.length > 0) throw new Error(`no such figure: ${unknown.join(', ')}. There are: ${Object.keys(figures)}`)

const engines = (['sqlite', 'postgres'] as const).filter((engine) => (values.engine ?? engine) === engine)
if (engines.length === 0) throw new Error(`no such engine: ${values.engine}. There are: sqlite, postgres`)

takeDriverCore()
process.once('exit', () => {
  killAll()
  removePrograms()
})
await copyPrograms()
const cluster = engines.includes('postgres') ? await findPostgres() : undefined
process.once('exit', () => cluster?.stop())
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const settings: Settings = {
  engines: engines.filter((engine: Engine) => engine === 'sqlite' || cluster !== undefined),
  clusterUrl: cluster?.url,
  soakMinutes: Number(values.minutes),
  // A quick run shows that everything works; its ratios are rough.
  ...(values.quick
    ? { rounds: 3, roundSeconds: 1, warmUpSeconds: 2, largeTable: 100_000 }
    : { rounds: 7, roundSeconds: 3, warmUpSeconds: 30, largeTable: 1_000_000 }),
}
const lines: Line[] = []
for (const name of names) lines.push(...((await figures[name]?.(settings)) ?? []))

const machine = `${cpus().length} × ${cpus()[0]?.model.trim() || 'unnamed processor'}, Node ${process.versions.node}`
process.stdout.write(`${machine}; load by ${generator}; ${describeCores()}; medians of ${settings.rounds} rounds.\n\n`)
process.stdout.write(`${toMarkdown(lines)}\n`)
process.exitCode = lines.every(({ holds }) => holds) ? 0 : 1

async function findPostgres() {
  const given = process.env.TEST_POSTGRES_URL
  const found = given ? { url: given, stop: () => undefined } : await startPostgresCluster()
  if (!found) say('No PostgreSQL on this machine: only SQLite is measured. Install the Debian package postgresql.')
  return found
}

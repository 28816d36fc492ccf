import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Catalogue, compileCatalogue } from '../src/areas/funding-recommendations/matching/catalogue.ts'
import { dayNumber } from '../src/areas/funding-recommendations/matching/days.ts'
import { evaluateAll } from '../src/areas/funding-recommendations/matching/evaluation.ts'
import { factsOf } from '../src/areas/funding-recommendations/matching/project-facts.ts'
import { believableRecipients, knownProject, programsOfRecipient, rulesOfProgram } from './believable-programs.ts'
import { alternate, type Line, say, showCount, showProgress, showRatio } from './report.ts'
import { eligibleBy, engineOf, plainFacts } from './rules-engine-programs.ts'
import type { Settings } from './throughput.ts'

const day = dayNumber('2026-03-31')
const facts = factsOf(knownProject, day)

/** One project against many programmes whose catalogues are compiled: outcome, score and rank of each, on one core. */
export async function measureMatching(settings: Settings): Promise<Line[]> {
  const [few, many] = [settings.largeTable / 10, settings.largeTable]
  say('P4: catalogues')
  const small = await compile(few)
  const large = await compile(many)
  say('P4: growth')
  const growth = await alternateWarm(settings, perProgram(large.catalogues), perProgram(small.catalogues))
  say('P4: json-rules-engine')
  const libraries = await compareWithRulesEngine(settings)
  return [
    {
      ...about(`${showCount(few, 'programmes')} of ${rulesOfProgram} rules: outcome, score and rank of each`),
      ours: showMicroseconds(growth.theirs),
      theirs: '',
      ratio: '',
      hold: `≤ ${showMicroseconds(mostMicroseconds)}`,
      holds: growth.theirs <= mostMicroseconds,
    },
    {
      ...about(`${showCount(many, 'programmes')} against ${few.toLocaleString('en')}`),
      ours: showMicroseconds(growth.ours),
      theirs: `fewer: ${showMicroseconds(growth.theirs)}`,
      ratio: showRatio(growth),
      hold: '≤ 1.3',
      holds: growth.ratio <= 1.3,
    },
    libraries,
    {
      ...about(`memory and compilation of ${showCount(many, 'programmes')}`),
      ours: `${showCount(large.bytes / many, 'bytes')}, ${showMicroseconds(large.microseconds / many)}`,
      theirs: '',
      ratio: '',
      hold: 'none set',
      holds: true,
    },
  ]
}

async function compile(count: number) {
  const before = memoryHeld()
  let microseconds = 0
  const catalogues: Catalogue[] = []
  for (const { recipient, programs } of believableRecipients(count, day)) {
    microseconds += await processorTime(async () => catalogues.push(compileCatalogue(programs, recipient, day)))
    showProgress(`  ${showCount(count, 'programmes')}`, catalogues.length, count / programsOfRecipient)
  }
  return { catalogues, bytes: memoryHeld() - before, microseconds }
}

/** What runs for the first time is not compiled yet. */
async function alternateWarm(settings: Settings, ours: () => Promise<number>, theirs: () => Promise<number>) {
  for (let round = 0; round < 5; round++) for (const warmUp of [ours, theirs]) await warmUp()
  return alternate(settings.rounds, ours, theirs)
}

/** What stays after everything that can go has gone. */
function memoryHeld(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** Microseconds for a programme. Few are evaluated many times: of two milliseconds, whatever comes between shows. */
function perProgram(catalogues: readonly Catalogue[]): () => Promise<number> {
  const programs = catalogues.reduce((sum, { ids }) => sum + ids.length, 0)
  const times = Math.max(1, Math.ceil(leastPrograms / programs))
  const evaluate = async () => {
    for (let i = 0; i < times; i++) evaluateAll(catalogues, facts, 'prj_1')
  }
  return async () => (await processorTime(evaluate)) / (times * programs)
}

/** In microseconds, all threads of this process together: what else runs on the machine does not count. */
async function processorTime(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

async function compareWithRulesEngine(settings: Settings): Promise<Line> {
  const recipients = [...believableRecipients(comparedPrograms, day)]
  const catalogues = recipients.map(({ recipient, programs }) => compileCatalogue(programs, recipient, day))
  const [engine, plain] = [engineOf(recipients), plainFacts(knownProject, day)]
  const { order, counts } = evaluateAll(catalogues, facts, 'prj_1')
  const ids = recipients.flatMap(({ programs }) => programs.map(({ id }) => id))
  const ours = Array.from(order.subarray(0, counts.eligible), (program) => ids[program]).toSorted()
  const theirs = (await eligibleBy(engine, plain)).toSorted()
  if (ours.length === 0 || ours.join() !== theirs.join()) throw new Error('the two sides differ in who is eligible')
  say(`  both find ${ours.length} of ${comparedPrograms} eligible`)
  const inEngine = async () => (await processorTime(() => eligibleBy(engine, plain))) / comparedPrograms
  // The other way round than elsewhere: how many times as long the library takes.
  const comparison = await alternateWarm(settings, inEngine, perProgram(catalogues))
  return {
    ...about(`${showCount(comparedPrograms, 'programmes')} with json-rules-engine, who is eligible`),
    ours: showMicroseconds(comparison.theirs),
    theirs: `json-rules-engine: ${showMicroseconds(comparison.ours)}`,
    ratio: showRatio(comparison),
    hold: `≥ ${leastTimes}`,
    holds: comparison.ratio >= leastTimes,
  }
}

function about(measured: string) {
  return { figure: 'P4', measured, engine: 'none' }
}

function showMicroseconds(value: number): string {
  return `${value.toFixed(2)} µs a programme`
}

const comparedPrograms = 2000
const leastPrograms = 200_000
const mostMicroseconds = 1
const leastTimes = 100

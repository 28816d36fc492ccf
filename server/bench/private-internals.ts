// What each piece of code that leans on a library's inside, or is written oddly for speed, is worth alone: the server as
// it is against the same server with that one piece taken out. The edits below are also how to take a piece out for good.

import { createLoad, listLoad, readLoad } from './business-loads.ts'
import type { Engine } from './deployments.ts'
import { makeDeployment, startProgram } from './deployments.ts'
import { runLoad } from './load.ts'
import { buildVariant, type Edit, porticoProgram } from './programs.ts'
import { alternate, type Line, say, showCount, showRatio } from './report.ts'
import { seedBusinesses } from './seed.ts'
import { type Settings, smallTable } from './throughput.ts'

interface Piece {
  name: string
  engine: Engine
  load: keyof typeof loads
  edits: readonly Edit[]
}

const loads = { read: readLoad, list: listLoad, create: createLoad }

const plainRows: Edit = {
  file: 'platform/database/row-maker.ts',
  from: /return new Function\([^\n]*\n/,
  to: `return (values) => {
    const row = {}
    for (let i = 0; i < columns.length; i++) row[columns[i]] = values[i]
    return row
  }
`,
}
const libraryRows: Edit = {
  file: 'platform/database/postgres-rows.ts',
  from: /export class RowQuery extends pg\.Query \{[\s\S]*?\n\}\n/,
  to: `export class RowQuery extends pg.Query {
  constructor(text, values, callback) {
    const types = { getTypeParser: (id) => ownParsers[id] ?? pg.types.getTypeParser(id) }
    super({ text, values, types }, (error, result) => {
      if (result) this.made = result.rows
      callback(error, result)
    })
  }
}
`,
}
const separateInserts: Edit = {
  file: 'platform/database/postgres-driver.ts',
  from: /(function joinInserts\([^)]*\)[^{]*\{)/,
  to: '$1\n  return inserts\n',
}

const pieces: readonly Piece[] = [
  { name: 'rows made by `new Function`', engine: 'sqlite', load: 'read', edits: [plainRows] },
  { name: 'rows made by `new Function`', engine: 'sqlite', load: 'list', edits: [plainRows] },
  { name: "pg's Query overridden", engine: 'postgres', load: 'read', edits: [libraryRows] },
  { name: "pg's Query overridden", engine: 'postgres', load: 'list', edits: [libraryRows] },
  { name: 'inserts joined into one statement', engine: 'postgres', load: 'create', edits: [separateInserts] },
]

export async function measurePrivateInternals(settings: Settings): Promise<Line[]> {
  const lines: Line[] = []
  for (const piece of pieces.filter(({ engine }) => settings.engines.includes(engine))) {
    say(`${piece.name}, ${piece.load} on ${piece.engine}`)
    const program = await buildVariant(`without-${pieces.indexOf(piece)}`, piece.edits)
    lines.push(await compare(settings, piece, program))
  }
  return lines
}

async function compare(settings: Settings, { name, engine, load }: Piece, without: string): Promise<Line> {
  const undo: (() => Promise<void>)[] = []
  /** Each side has a deployment of its own: two servers cannot share a SQLite file. */
  const start = async (program: string) => {
    const deployment = await makeDeployment(engine, settings.clusterUrl)
    undo.push(() => deployment.remove())
    const ids = await seedBusinesses(deployment, smallTable)
    const server = await startProgram(program, deployment)
    undo.push(() => server.stop())
    const requests = loads[load](deployment, ids)
    await runLoad(server.origin, requests, settings.warmUpSeconds)
    return () => runLoad(server.origin, requests, settings.roundSeconds)
  }
  try {
    const found = await alternate(settings.rounds, await start(porticoProgram), await start(without))
    return {
      figure: 'Internals',
      measured: `${name}: ${load}`,
      engine,
      ours: showCount(found.ours, 'requests/s'),
      theirs: `without it: ${showCount(found.theirs, 'requests/s')}`,
      ratio: showRatio(found),
      hold: '≥ 1.03 in one of its lines',
      holds: found.ratio >= 1.03,
    }
  } finally {
    for (const step of undo.toReversed()) await step()
  }
}

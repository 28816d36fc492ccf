// The arrows of the house, as data. A failing test says the rule.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const source = fileURLToPath(new URL('.', import.meta.url))
const server = dirname(source)

/**
 * Who may import whom, by room; a room may always import itself. `platform` stands for all its rooms, and so do
 * `building-blocks` and `areas`. An arrow that nobody uses must go.
 */
const arrows: Record<string, readonly string[]> = {
  'platform/values': [],
  'platform/clock': [],
  'platform/own-time': ['platform/clock'],
  'platform/turns': [],
  'platform/source-bundles': [],
  'platform/vault': [],
  'platform/request-durations': [],
  'platform/version': [],
  'platform/metrics': ['platform/request-durations'],
  'platform/read-gauges': ['platform/clock', 'platform/logging'],
  'platform/process-metrics': ['platform/context', 'platform/read-gauges', 'platform/version'],
  'platform/storage': ['platform/clock', 'platform/values'],
  'platform/redis': [],
  'platform/database-url': ['platform/values'],
  'platform/setting-readers': [],
  'platform/config': [
    'platform/database-url',
    'platform/setting-readers',
    'platform/redis',
    'platform/storage',
    'platform/tracing',
    'platform/values',
  ],
  'platform/tracing': ['platform/context', 'platform/database', 'platform/logging', 'platform/version'],
  'platform/logging': ['platform/config', 'platform/values'],
  'platform/protocol': ['platform/config', 'platform/values'],
  'platform/outbound': ['platform/turns'],
  'platform/database': [
    'platform/clock',
    'platform/config',
    'platform/logging',
    'platform/source-bundles',
    'platform/values',
  ],
  'platform/context': [
    'platform/clock',
    'platform/config',
    'platform/database',
    'platform/logging',
    'platform/storage',
    'platform/tracing',
    'platform/vault',
  ],
  'platform/audit': ['platform/clock', 'platform/context', 'platform/database', 'platform/values'],
  'platform/background': [
    'platform/audit',
    'platform/clock',
    'platform/context',
    'platform/database',
    'platform/logging',
    'platform/metrics',
    'platform/own-time',
    'platform/read-gauges',
    'platform/values',
  ],
  'platform/deployment': ['platform/background', 'platform/clock', 'platform/context', 'platform/database'],
  'platform/backup': [
    'platform/audit',
    'platform/background',
    'platform/clock',
    'platform/context',
    'platform/database',
    'platform/read-gauges',
    'platform/storage',
    'platform/values',
  ],
  'platform/secrets': [
    'platform/background',
    'platform/clock',
    'platform/context',
    'platform/database',
    'platform/deployment',
    'platform/values',
    'platform/vault',
  ],
  'platform/records': [
    'platform/background',
    'platform/clock',
    'platform/context',
    'platform/database',
    'platform/protocol',
  ],
  'platform/http': [
    'platform/audit',
    'platform/background',
    'platform/clock',
    'platform/config',
    'platform/context',
    'platform/database',
    'platform/deployment',
    'platform/logging',
    'platform/metrics',
    'platform/protocol',
    'platform/read-gauges',
    'platform/redis',
    'platform/tracing',
    'platform/values',
    'platform/vault',
  ],
  'building-blocks/portals': ['platform'],
  'building-blocks/audit-log': ['platform'],
  'building-blocks/contracts': ['platform'],
  'building-blocks/recipients': ['platform', 'building-blocks/portals', 'building-blocks/contracts'],
  'building-blocks/file-transfers': ['platform'],
  'building-blocks/questionnaires': ['platform', 'building-blocks/contracts', 'building-blocks/file-transfers'],
  'building-blocks/autofill': [
    'platform',
    'building-blocks/portals',
    'building-blocks/contracts',
    'building-blocks/file-transfers',
    'building-blocks/questionnaires',
  ],
  'building-blocks/peoples-data': [
    'platform',
    'building-blocks/portals',
    'building-blocks/file-transfers',
    'building-blocks/questionnaires',
  ],
  'areas/businesses': ['platform', 'building-blocks/portals', 'building-blocks/peoples-data'],
  'areas/client-intake': [
    'platform',
    'building-blocks/portals',
    'building-blocks/contracts',
    'building-blocks/questionnaires',
    'building-blocks/autofill',
    'areas/businesses',
  ],
  'areas/funding-recommendations': [
    'platform',
    'building-blocks/portals',
    'building-blocks/contracts',
    'building-blocks/questionnaires',
    'building-blocks/recipients',
    'areas/businesses',
    'areas/client-intake',
  ],
  'areas/deals': [
    'platform',
    'building-blocks/portals',
    'building-blocks/recipients',
    'areas/businesses',
    'areas/funding-recommendations',
  ],
  'areas/deal-applications': [
    'platform',
    'building-blocks/portals',
    'building-blocks/contracts',
    'building-blocks/questionnaires',
    'building-blocks/recipients',
    'building-blocks/autofill',
    'areas/businesses',
    'areas/client-intake',
    'areas/funding-recommendations',
    'areas/deals',
  ],
  'areas/webhooks': ['platform', 'building-blocks/peoples-data'],
  reference: ['platform'],
  app: ['platform', 'building-blocks', 'areas', 'reference'],
  cli: ['platform', 'building-blocks', 'areas', 'app'],
}
/** Files that stand outside the arrows: the generator imports the list of operations, the version is in package.json. */
const outside: Record<string, readonly string[]> = { 'reference/generate.ts': ['app'], 'platform/version.ts': ['..'] }

/** What is started, not imported. */
const programs = [
  'cli/main.ts',
  'platform/database/sqlite-check-thread.ts',
  'reference/generate.ts',
  'building-blocks/autofill/documents/process/reader-process.ts',
  'areas/funding-recommendations/calculations/matching-thread.ts',
]

/** Tests that compare costs, wait for a process, pace a client, or measure a promised time in the long form of the faults. */
const mayWatch = [
  '../test/growth.ts',
  'hostile-input.test.ts',
  '../test/protocol.test.ts',
  '../test/built-program.ts',
  '../test/nginx.ts',
  '../test/faults/interrupted-calculation.test.ts',
  '../test/faults/killed-database.postgres.test.ts',
  '../test/faults/killed-server.test.ts',
  '../test/faults/lost-database.postgres.test.ts',
  '../test/faults/migrating-under-load.postgres.test.ts',
  '../test/faults/what-time-ends.ts',
  '../test/faults/open-loop.ts',
  '../test/faults/overload.test.ts',
  '../test/faults/patient-writers.ts',
  '../test/faults/rolling-restart.test.ts',
  '../test/faults/shared-rates.postgres.test.ts',
  '../test/faults/taken-over-work.test.ts',
]

/** Inside a room of the task areas, what a file may import of its own room. */
const order = ['operations', 'commands', 'queries', 'schema']

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(source, join(entry.parentPath, entry.name)))
const files = filesIn(source)
const everyFile = [...files, ...filesIn(join(server, 'test')), ...filesIn(join(server, 'bench'))]
const modules = files.filter((file) => !file.endsWith('.test.ts'))
const textOf = (file: string) => readFileSync(join(source, file), 'utf8')
const targetOf = (file: string, path = '') => relative(source, resolve(source, dirname(file), path))

const importsOf = (file: string) =>
  [...textOf(file).matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map(([, path]) => targetOf(file, path))
const imports = new Map(modules.map((file) => [file, importsOf(file)] as const))

function roomOf(file: string): string {
  const [first = '', second = ''] = file.split('/')
  const room = ['areas', 'building-blocks', 'platform'].includes(first) ? `${first}/${second}` : first
  return room.replace(/\.ts$/, '')
}

const isWithin = (room: string, name: string) => room === name || room.startsWith(`${name}/`)

describe('architecture', () => {
  test('every room imports only along its arrows', () => {
    const wrong: string[] = []
    for (const [file, targets] of imports) {
      const room = roomOf(file)
      const allowed = [...(arrows[room] ?? []), ...(outside[file] ?? [])]
      for (const target of targets) {
        const other = roomOf(target)
        if (other !== room && !allowed.some((name) => isWithin(other, name)))
          wrong.push(`${file} imports ${target}: ${room} may import ${allowed.join(', ') || 'nothing'}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test('every room is drawn', () => {
    expect([...new Set(modules.map(roomOf))].filter((room) => !(room in arrows))).toEqual([])
  })

  test('every arrow is used', () => {
    const crossed = new Map<string, Set<string>>()
    for (const [file, targets] of imports)
      for (const target of targets)
        crossed.set(roomOf(file), (crossed.get(roomOf(file)) ?? new Set()).add(roomOf(target)))
    const unused = Object.entries(arrows).flatMap(([room, others]) =>
      others
        .filter((name) => ![...(crossed.get(room) ?? [])].some((other) => isWithin(other, name)))
        .map((name) => `${room} → ${name}`),
    )
    expect(unused).toEqual([])
  })

  test('every exported name is imported somewhere else, every module too', () => {
    const used = new Set(everyFile.flatMap(importedNames))
    // What a program exports is for whoever loads it.
    const others = everyFile.filter((file) => !programs.includes(file))
    const unused = others.flatMap((file) =>
      [...textOf(file).matchAll(/^export (?:async )?(?:function\*?|const|let|class|interface|type) (\w+)/gm)]
        .filter(([, name]) => !used.has(`${file} ${name}`))
        .map(([, name]) => `${file} exports ${name}`),
    )
    expect(unused).toEqual([])
    const imported = new Set(everyFile.flatMap(importsOf))
    expect(modules.filter((file) => !imported.has(file) && !programs.includes(file))).toEqual([])
  })

  test('in a room operations import commands, commands import queries, queries import the schema, and nothing the other way', () => {
    const wrong: string[] = []
    for (const [file, targets] of imports) {
      if (!file.startsWith('areas/') && !file.startsWith('building-blocks/')) continue
      // `search-queries` are queries, of one subject.
      const rank = (path: string) => order.indexOf(/([a-z]+)\.ts$/.exec(path)?.[1] ?? '')
      for (const target of targets) {
        if (roomOf(target) === roomOf(file) && rank(file) > rank(target) && rank(target) !== -1)
          wrong.push(`${file} imports ${target}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test('there are no circles', () => {
    const circles: string[] = []
    const done = new Set<string>()
    const walk = (file: string, path: readonly string[]) => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '))
      if (done.has(file) || path.includes(file)) return
      for (const target of valueImports(file)) walk(target, [...path, file])
      done.add(file)
    }
    for (const file of modules) walk(file, [])
    expect(circles).toEqual([])
  })

  test('no file has more than 400 lines, no test more than 600', () => {
    const long = everyFile.filter((file) => textOf(file).split('\n').length > (file.endsWith('.test.ts') ? 600 : 400))
    expect(long).toEqual([])
  })

  test('tests neither sleep nor watch the clock: they wait for a condition, move the test clock or compare costs', () => {
    const tests = everyFile.filter((file) => file.endsWith('.test.ts') || file.startsWith('../test/'))
    const watchers = tests.filter((file) =>
      /setTimeout\((resolve|finish|done)\b|(Date|performance)\.now\(\) - [a-z]/.test(textOf(file)),
    )
    expect(watchers.filter((file) => !mayWatch.includes(file) && file !== 'architecture.test.ts')).toEqual([])
  })

  test('files are named for what they hold: no drawers, no barrels', () => {
    const banned = /(^|[-/])(utils?|helpers?|common|misc|types|manager|service|index)\.ts$/
    expect(everyFile.filter((file) => banned.test(file) || file !== file.toLowerCase())).toEqual([])
  })

  test('only the configuration and the start of the program read the environment', () => {
    const readers = modules.filter(
      (file) =>
        textOf(file).includes('process.env') &&
        file !== 'platform/config.ts' &&
        !file.startsWith('cli/') &&
        file !== 'reference/typescript-examples.ts',
    )
    expect(readers).toEqual([])
  })

  test('a type is asserted only where a comment says why it is safe', () => {
    const wrong = modules.flatMap((file) => {
      // Texts are not code: SQL has its own `as`.
      const lines = textOf(file)
        .replace(/`[^`]*`/g, (text) => text.replace(/[^\n]/g, ' '))
        .split('\n')
      return lines.flatMap((line, index) => {
        const code = line.replace(/'[^']*'/g, "''")
        const isAssertion =
          / as (unknown as )?(typeof |keyof )?[A-Z([{]/.test(code) &&
          !/^\s*(\/\/|\*|\/\*\*|import|export \{)/.test(line)
        const reason = lines.slice(Math.max(0, index - 4), index + 2).join(' ')
        return isAssertion && !reason.includes('safe ') ? [`${file}:${index + 1}`] : []
      })
    })
    expect(wrong).toEqual([])
  })

  test('only operations, routes, the app, its start and the reference import platform/http', () => {
    const mayImport =
      /(^|\/)(operations|operation-paths|routes|app)\.ts$|^(platform\/http|reference)\/|^cli\/serve\.ts$/
    const wrong = [...imports].flatMap(([file, targets]) =>
      mayImport.test(file)
        ? []
        : targets.filter((target) => target.startsWith('platform/http/')).map((target) => `${file} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })

  test('only platform/http, routes and the app import Fastify', () => {
    const wrong = modules.filter(
      (file) =>
        /from 'fastify'/.test(textOf(file)) && !/(^|\/)(routes|app)\.ts$|^platform\/http\/|^reference\//.test(file),
    )
    expect(wrong).toEqual([])
  })
})

/** Imports that exist when the program runs: types are free to point both ways. */
function valueImports(file: string): string[] {
  return [...textOf(file).matchAll(/^import (?!type )[^']*?from '(\.[^']+)'/gms)]
    .map(([, path]) => targetOf(file, path))
    .filter((target) => imports.has(target))
}

/** `<file> <name>` for every name this file imports. What it loads later, it may use any name of. */
function importedNames(file: string): string[] {
  const text = textOf(file)
  const named = [...text.matchAll(/^import (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm)].flatMap(([, names = '', path]) =>
    names
      .split(',')
      .map((name) =>
        name
          .trim()
          .replace(/^type /, '')
          .replace(/ as .*$/, ''),
      )
      .map((name) => `${targetOf(file, path)} ${name}`),
  )
  const later = [...text.matchAll(/import\('(\.[^']+)'\)/g)].flatMap(([, path]) =>
    [...text.matchAll(/\w+/g)].map(([word]) => `${targetOf(file, path)} ${word}`),
  )
  return [...named, ...later]
}

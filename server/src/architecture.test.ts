// The arrows of the house, as data. A failing test says the rule.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const source = fileURLToPath(new URL('.', import.meta.url))

/** Who may import whom, by room; a room may always import itself. */
const arrows: Record<string, readonly string[]> = {
  platform: [],
  'building-blocks/portals': ['platform'],
  'building-blocks/contracts': ['platform', 'building-blocks/portals'],
  'building-blocks/file-transfers': ['platform'],
  'building-blocks/questionnaires': ['platform', 'building-blocks/contracts', 'building-blocks/file-transfers'],
  'building-blocks/autofill': [
    'platform',
    'building-blocks/portals',
    'building-blocks/contracts',
    'building-blocks/file-transfers',
    'building-blocks/questionnaires',
  ],
  'areas/businesses': ['platform', 'building-blocks'],
  'areas/client-intake': ['platform', 'building-blocks', 'areas/businesses'],
  'areas/webhooks': ['platform', 'building-blocks'],
  reference: ['platform'],
  app: ['platform', 'building-blocks', 'areas', 'reference'],
  cli: ['platform', 'building-blocks', 'areas', 'app'],
}
/** Programs of a room that stand outside its arrows: the generator is handed the list of operations by importing it. */
const outside: Record<string, readonly string[]> = { 'reference/generate.ts': ['app'] }

/** Inside a room of the task areas, what a file may import of its own room. */
const order = ['operations', 'commands', 'queries', 'schema']

const files = readdirSync(source, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => relative(source, join(entry.parentPath, entry.name)))
const modules = files.filter((file) => !file.endsWith('.test.ts'))
const textOf = (file: string) => readFileSync(join(source, file), 'utf8')

const imports = new Map(
  modules.map((file) => {
    const found = [...textOf(file).matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map((match) =>
      relative(source, resolve(source, dirname(file), match[1] ?? '')),
    )
    return [file, found] as const
  }),
)

function roomOf(file: string): string {
  const [first = '', second = ''] = file.split('/')
  if (first === 'areas' || first === 'building-blocks') return `${first}/${second}`
  return first.replace(/\.ts$/, '')
}

describe('architecture', () => {
  test('every room imports only along its arrows', () => {
    const wrong: string[] = []
    for (const [file, targets] of imports) {
      const room = roomOf(file)
      const allowed = [...(arrows[room] ?? []), ...(outside[file] ?? [])]
      for (const target of targets) {
        const other = roomOf(target)
        if (other !== room && !allowed.some((name) => other === name || other.startsWith(`${name}/`)))
          wrong.push(`${file} imports ${target}: ${room} may import ${allowed.join(', ') || 'nothing'}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test('every room is drawn', () => {
    expect([...new Set(modules.map(roomOf))].filter((room) => !(room in arrows))).toEqual([])
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
    const long = files.filter((file) => textOf(file).split('\n').length > (file.endsWith('.test.ts') ? 600 : 400))
    expect(long).toEqual([])
  })

  test('files are named for what they hold: no drawers, no barrels', () => {
    const banned = /(^|[-/])(utils?|helpers?|common|misc|types|manager|service|index)\.ts$/
    expect(files.filter((file) => banned.test(file) || file !== file.toLowerCase())).toEqual([])
  })

  test('only the configuration and the start of the program read the environment', () => {
    const readers = modules.filter(
      (file) =>
        textOf(file).includes('process.env') &&
        file !== 'platform/config.ts' &&
        !file.startsWith('cli/') &&
        file !== 'reference/examples.ts',
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
    .map((match) => relative(source, resolve(source, dirname(file), match[1] ?? '')))
    .filter((target) => imports.has(target))
}

// How the program is loaded. What V8 has made of it at the build is taken when it fits, and never needed.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runNode } from './built-program.ts'

const server = fileURLToPath(new URL('..', import.meta.url))
const source = 'dist/program.js'
const cache = `${source}.cache`
const { version } = JSON.parse(readFileSync(join(server, 'package.json'), 'utf8'))
const otherVersion = version.replaceAll(/\d/g, '9')

let copy: string
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'portico-copy-'))
  mkdirSync(join(copy, 'dist'))
  for (const name of ['package.json', 'bin', source, cache])
    cpSync(join(server, name), join(copy, name), { recursive: true })
})
afterAll(() => rmSync(copy, { recursive: true }))

const whole = () => readFileSync(join(server, cache))
const shown = () => runNode([join(copy, 'bin/portico.js'), '--version'])

test('a cache that fits is taken, and one that does not is not', async () => {
  const text = readFileSync(join(copy, source), 'latin1')
  writeFileSync(join(copy, source), text.replaceAll(`"${version}"`, `"${otherVersion}"`), 'latin1')
  // The source has the same length, which is all that V8 looks at: what is shown tells where it came from.
  expect((await shown()).stdout).toBe(`${otherVersion}\n`)
  const seal = `import { readFileSync, writeFileSync } from 'node:fs'
    import { cacheFile, programFile, sealCache } from ${JSON.stringify(join(copy, 'bin/load-program.js'))}
    writeFileSync(cacheFile, sealCache(readFileSync(programFile), readFileSync(cacheFile).subarray(0, -4)))`
  expect(await runNode(['--input-type=module', '-e', seal])).toMatchObject({ code: 0, stderr: '' })
  expect((await shown()).stdout).toBe(`${version}\n`)
  const sealed = readFileSync(join(copy, cache))
  sealed.writeUInt8(sealed.readUInt8(sealed.length - 1) ^ 1, sealed.length - 1)
  writeFileSync(join(copy, cache), sealed)
  expect((await shown()).stdout).toBe(`${otherVersion}\n`)
})

test('the build leaves a cache that fits', async () => {
  cpSync(join(server, source), join(copy, source))
  writeFileSync(join(copy, cache), whole())
  const look = `import { readFileSync } from 'node:fs'
    import { Script } from 'node:vm'
    import { cacheFile, programFile, sealCache } from ${JSON.stringify(join(copy, 'bin/load-program.js'))}
    const [bytes, file] = [readFileSync(programFile), readFileSync(cacheFile)]
    const cachedData = file.subarray(0, -4)
    const { cachedDataRejected } = new Script(bytes.latin1Slice(), { cachedData })
    console.log(sealCache(bytes, cachedData).equals(file), cachedDataRejected)`
  expect((await runNode(['--input-type=module', '-e', look])).stdout).toBe('true false\n')
})

test.each([
  ['none', () => undefined],
  ['an empty one', () => Buffer.alloc(0)],
  ['half of one', () => whole().subarray(0, whole().length / 2)],
])('with %s, the program is the same', async (_, bytes) => {
  cpSync(join(server, source), join(copy, source))
  rmSync(join(copy, cache), { force: true })
  const found = bytes()
  if (found) writeFileSync(join(copy, cache), found)
  expect(await shown()).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

/** The program in a Node.js that is not what it is. */
const shownWith = (pretence: string) => {
  const bin = JSON.stringify(join(copy, 'bin/portico.js'))
  const script = `${pretence}; process.argv = [process.argv[0], ${bin}, '--version']; await import(${bin})`
  return runNode(['--input-type=module', '-e', script])
}

test('without the file of Node.js itself, which an update replaces, the program is the same', async () => {
  cpSync(join(server, source), join(copy, source))
  writeFileSync(join(copy, cache), whole())
  expect(await shownWith(`process.execPath = '/nowhere/node'`)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test('an older Node.js is told which one is needed, before anything is loaded that it does not have', async () => {
  cpSync(join(server, source), join(copy, source))
  const loader = join(copy, 'bin/load-program.js')
  const text = readFileSync(loader, 'utf8')
  const found = (node: string) =>
    shownWith(`Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${node}' } })`)
  expect(await found('20.19.0')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  expect(await found('22.0.0')).toMatchObject({ code: 0 })
  writeFileSync(loader, `import { notThereYet } from 'node:zlib'\n${text}`)
  for (const old of ['18.20.4', '20.18.1', '9.11.2'])
    expect(await found(old)).toEqual({
      code: 1,
      stdout: '',
      stderr: `portico: Node.js 20.19 or later is needed, and this is ${old}.\n`,
    })
  writeFileSync(loader, text)
})

// As many requests as a server answers: wrk where it is installed, else a loop in this process.
// A load is data, so that both sides get the very same requests.
import { execFile, execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface Load {
  method: 'GET' | 'POST'
  /** Asked for in turn. */
  paths: readonly string[]
  /** Wherever `{unique}` stands in a header or the body, each request has a text of its own. */
  headers: Readonly<Record<string, string>>
  body?: string
}

/** Requests a second. Throws when any of them failed: a refusal is fast, and would be taken for speed. */
export async function runLoad(origin: string, load: Load, seconds: number): Promise<number> {
  const run = randomBytes(8).toString('hex')
  return hasWrk ? runWrk(origin, load, seconds, run) : runLoop(origin, load, seconds, run)
}

const connections = 32

async function runWrk(origin: string, load: Load, seconds: number, run: string): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'portico-bench-load-'))
  try {
    const script = join(directory, 'load.lua')
    writeFileSync(script, luaScript(load, run))
    const { stdout } = await promisify(execFile)('wrk', [
      ...['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`, '--timeout', '10s'],
      ...['--script', script, origin],
    ])
    const rate = /Requests\/sec:\s+([0-9.]+)/.exec(stdout)?.[1]
    if (rate === undefined || /Non-2xx|Socket errors/.test(stdout)) throw new Error(`requests failed:\n${stdout}`)
    return Number(rate)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function luaScript({ method, paths, headers, body }: Load, run: string): string {
  const text = (value: string) => `[==[${value}]==]`
  // Texts with {unique} are kept in pieces: joining them is cheaper than replacing, and the generator must stay ahead.
  const pieces = (value: string) => `table.concat({${value.split('{unique}').map(text).join(', ')}}, unique)`
  const isVaried = [...Object.values(headers), body ?? ''].some((value) => value.includes('{unique}'))
  const pairs = Object.entries(headers).map(([name, value]) => `[ ${text(name)} ] = ${pieces(value)}`)
  const format = `wrk.format("${method}", path, {${pairs.join(', ')}}, ${body === undefined ? 'nil' : pieces(body)})`
  return `
local paths = {${paths.map(text).join(', ')}}
local count = 0
local ready = {}
request = function()
  count = count + 1
  local index = (count - 1) % #paths + 1
  local path = paths[index]
  local unique = "${run}" .. count
  ${isVaried ? '' : 'if ready[index] then return ready[index] end'}
  local made = ${format}
  ${isVaried ? '' : 'ready[index] = made'}
  return made
end
`
}

async function runLoop(origin: string, load: Load, seconds: number, run: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const deadline = performance.now() + seconds * 1000
  let count = 0
  const work = async () => {
    while (performance.now() < deadline) {
      const status = await send(agent, origin, load, count, `${run}${count++}`)
      if (status >= 300) throw new Error(`a request was answered with ${status}`)
    }
  }
  const begin = performance.now()
  try {
    await Promise.all(Array.from({ length: connections }, work))
    return count / ((performance.now() - begin) / 1000)
  } finally {
    agent.destroy()
  }
}

/** Requests at an even pace, whoever is slow; how many were answered. */
export async function runPacedLoad(
  origin: string,
  load: Load,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<number> {
  const run = randomBytes(8).toString('hex')
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  const begin = performance.now()
  const sent: Promise<number>[] = []
  try {
    for (let elapsed = 0; elapsed < seconds; elapsed = (performance.now() - begin) / 1000) {
      while (sent.length < elapsed * perSecond)
        sent.push(send(agent, origin, load, sent.length, `${run}${sent.length}`))
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const failed = (await Promise.all(sent)).filter((status) => status >= 300)
    if (failed.length > 0) throw new Error(`${failed.length} requests failed, one with ${failed[0]}`)
    return sent.length
  } finally {
    agent.destroy()
  }
}

function send(agent: Agent, origin: string, load: Load, index: number, unique: string): Promise<number> {
  const fill = (text: string) => text.replaceAll('{unique}', unique)
  const headers = Object.fromEntries(Object.entries(load.headers).map(([name, value]) => [name, fill(value)]))
  const path = load.paths[index % load.paths.length] ?? '/'
  return new Promise((resolve, reject) => {
    const sent = request(origin + path, { agent, method: load.method, headers, timeout: 10_000 }, (response) => {
      response.once('end', () => resolve(response.statusCode ?? 0))
      response.resume()
    })
    sent.once('error', reject)
    sent.once('timeout', () => sent.destroy(new Error('a request took longer than 10 s')))
    sent.end(load.body === undefined ? undefined : fill(load.body))
  })
}

function isInstalled(command: string): boolean {
  try {
    execFileSync('which', [command], { stdio: 'pipe' })
    return true
  } catch {
    return false
  }
}

const hasWrk = isInstalled('wrk')
export const generator = hasWrk ? 'wrk' : 'a loop over node:http'

// The processes of a measurement: servers on one core, and everything that drives them (load, PostgreSQL) on another,
// so that neither side takes time from the other. Without `taskset` or a second core they share.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { freePort } from '../test/postgres-cluster.ts'
import { inheritedEnvironment } from './programs.ts'

export interface ServerProcess {
  origin: string
  pid: number
  /** From starting the process to its first ready answer. */
  readyMs: number
  stop(): Promise<void>
}

/** The servers' core, or every core: for what is not compared by load. */
export type Cores = 'one' | 'all'

/** Starts `script` and waits until `readyPath` answers. Its log goes nowhere. */
export async function startServerProcess(
  script: string,
  settings: {
    args(port: number): string[]
    environment?: Record<string, string>
    readyPath: string
    cores?: Cores
  },
): Promise<ServerProcess> {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const numbers = settings.cores === 'all' ? cores : cores.slice(0, 1)
  const [command = '', ...args] = onCores(numbers, [process.execPath, script, ...settings.args(port)])
  const begin = performance.now()
  const child = spawn(command, args, {
    env: { ...inheritedEnvironment(), ...settings.environment, PORTICO_PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  await untilReady(origin + settings.readyPath, child)
  const readyMs = performance.now() - begin
  return { origin, pid: child.pid ?? 0, readyMs, stop: () => stopProcess(child) }
}

/** Starts a program that nobody asks anything, on the servers' core. */
export function startWorkerProcess(script: string, args: readonly string[], environment: Record<string, string>) {
  const [command = '', ...rest] = onServerCore([process.execPath, script, ...args])
  const child = spawn(command, rest, {
    env: { ...inheritedEnvironment(), ...environment, PORTICO_METRICS_PORT: 'off' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return { pid: child.pid ?? 0, stop: () => stopProcess(child) }
}

/** A command as it runs where servers run. */
export function onServerCore(command: string[]): string[] {
  return onCores(cores.slice(0, 1), command)
}

/** Moves this process, and with it whatever it starts from now on, to the core of the drivers. */
export function takeDriverCore(): void {
  if (isPinning) execFileSync('taskset', ['-acp', String(cores[1]), String(process.pid)], { stdio: 'pipe' })
}

/** Moves other processes to the core of the servers, or back to that of the drivers; what they start follows them. */
export function moveProcesses(pids: readonly number[], core: 'server' | 'driver'): void {
  const number = String(cores[core === 'server' ? 0 : 1])
  if (isPinning) for (const pid of pids) execFileSync('taskset', ['-acp', number, String(pid)], { stdio: 'pipe' })
}

/** Whether servers and drivers have a core each, for the heading of the results. */
export function describeCores(): string {
  return isPinning
    ? 'servers on one core; load generator and PostgreSQL on another'
    : 'servers, load generator and PostgreSQL share the cores'
}

export function killAll(): void {
  for (const child of running) child.kill('SIGKILL')
}

async function untilReady(address: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + 30_000
  for (;;) {
    const response = await fetch(address).catch(() => undefined)
    await response?.arrayBuffer()
    if (response?.ok) return
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${address} did not become ready`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

function stopProcess(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
    setTimeout(() => child.kill('SIGKILL'), 10_000).unref()
  })
}

function onCores(numbers: readonly number[], command: string[]): string[] {
  return isPinning ? ['taskset', '-c', numbers.join(','), ...command] : command
}

/** The numbers of the cores this process may use, such as `0-1,4`. */
function allowedCores(): number[] {
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? ''
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })
}

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['--version'], { stdio: 'pipe' })
    return true
  } catch {
    return false // not Linux, or without util-linux
  }
}

const running = new Set<ChildProcess>()
const isPinning = process.platform === 'linux' && hasTaskset() && allowedCores().length >= 2
const cores = isPinning ? allowedCores() : []

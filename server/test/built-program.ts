// The built program in processes of its own, for what only processes can show: kills, signals, exit codes, races.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Config } from '../src/platform/config.ts'
import { type Client, createClient } from './client.ts'
import { freePort } from './postgres-cluster.ts'

export const program = fileURLToPath(new URL('../bin/portico.js', import.meta.url))

export interface Outcome {
  code: number
  stdout: string
  stderr: string
}

export const runPortico = (args: readonly string[], environment: Record<string, string>) =>
  runNode([program, ...args], environment)

export async function runNode(args: readonly string[], environment: Record<string, string> = {}): Promise<Outcome> {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, {
      env: cleanEnvironment(environment),
    })
    return { code: 0, stdout, stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as unknown as Outcome // safe because execFile rejects with these on a failing exit
    return { code, stdout, stderr }
  }
}

/** The same, for commands that must succeed and print JSON. */
export const runJson = (args: readonly string[], environment: Record<string, string>) =>
  jsonOf(runPortico, args, environment)

export async function jsonOf(run: typeof runPortico, args: readonly string[], environment: Record<string, string>) {
  const { code, stdout, stderr } = await run([...args, '--json'], environment)
  if (code !== 0) throw new Error(`portico ${args.join(' ')} failed: ${stderr}`)
  return JSON.parse(stdout)
}

export interface RunningServer {
  origin: string
  call: Client
  port: number
  pid: number
  output(): string
  /** Resolves with the exit code once the process is gone. */
  kill(signal: NodeJS.Signals): Promise<number | null>
  /** Lets it stand still, as a machine that is suspended; the result lets it go on. */
  stop(): Promise<() => void>
}

interface ServerSettings {
  environment: Record<string, string>
  port?: number
  args?: readonly string[]
  /** A worker serves nothing but its probes, on its port. */
  command?: 'serve' | 'worker'
  /** Where its output goes; `gone` is a pipe whose reader leaves as soon as the server is ready. */
  output?: 'kept' | 'full disk' | 'gone'
  /** The largest file the process may write: a disk that takes no more. */
  fileLimitKilobytes?: number
  /** Ends a start that is no longer wanted. */
  signal?: AbortSignal
}

/** A server process, ready. */
export async function startServer({
  environment,
  port,
  args = [],
  command: name = 'serve',
  output: outputGoes = 'kept',
  fileLimitKilobytes,
  signal,
}: ServerSettings): Promise<RunningServer> {
  const usedPort = port ?? (await freePort())
  const origin = `http://127.0.0.1:${usedPort}`
  const command = [process.execPath, program, name, ...args]
  const limited = ['-c', `ulimit -f ${fileLimitKilobytes}; exec "$0" "$@"`, ...command]
  const [file = '', ...rest] = fileLimitKilobytes === undefined ? command : ['bash', ...limited]
  const child = spawn(file, rest, {
    env: cleanEnvironment({
      PORTICO_LOG_LEVEL: 'warn',
      PORTICO_METRICS_PORT: 'off',
      ...environment,
      [name === 'serve' ? 'PORTICO_PORT' : 'PORTICO_METRICS_PORT']: String(usedPort),
    }),
    stdio: ['ignore', outputGoes === 'full disk' ? openSync('/dev/full', 'w') : 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout?.on('data', (bytes) => {
    output += bytes
  })
  child.stderr?.on('data', (bytes) => {
    output += bytes
  })
  const giveUp = () => child.kill('SIGKILL')
  signal?.addEventListener('abort', giveUp)
  await untilReady(origin, child, () => output)
    .catch((error) => {
      child.kill('SIGKILL')
      signal?.throwIfAborted()
      throw error
    })
    .finally(() => signal?.removeEventListener('abort', giveUp))
  if (outputGoes === 'gone') {
    child.stdout?.destroy()
    child.stderr?.destroy()
  }
  return {
    origin,
    call: createClient(`${origin}/v1/`),
    port: usedPort,
    pid: child.pid ?? 0,
    output: () => output,
    kill: (signal) =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve(child.exitCode)
        child.once('exit', (code) => resolve(code))
        child.kill(signal)
      }),
    async stop() {
      child.kill('SIGSTOP')
      return () => child.kill('SIGCONT')
    },
  }
}

export function newSecretKey(): string {
  return randomBytes(32).toString('base64')
}

async function untilReady(origin: string, child: ChildProcess, output: () => string): Promise<void> {
  const deadline = Date.now() + 120_000
  for (;;) {
    const response = await fetch(`${origin}/readyz`).catch(() => undefined)
    if (response?.ok) return
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline)
      throw new Error(`the server did not become ready:\n${output()}`)
    await new Promise((resolve) => setTimeout(resolve, 40))
  }
}

/** With these, a command works on what a server works on. */
export function environmentOf({ data_dir, database_url, secret_key }: Config) {
  return {
    PORTICO_DATA_DIR: data_dir,
    PORTICO_SECRET_KEY: secret_key?.toString('base64') ?? '',
    ...(database_url !== undefined && { PORTICO_DATABASE_URL: database_url }),
  }
}

export function cleanEnvironment(environment: Record<string, string>): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR = '/tmp' } = process.env
  return { PATH, HOME, TMPDIR, ...environment }
}

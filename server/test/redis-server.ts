// A real Redis that can be stopped, stalled and killed.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { describe } from 'vitest'

export interface RedisServer {
  port: number
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  /** Ends it at once; with `restart` it is back, and knows nothing. */
  kill(): Promise<void>
  restart(): Promise<void>
}

const places = ['/usr/bin/redis-server', '/usr/local/bin/redis-server', '/opt/homebrew/bin/redis-server']
const howToInstall = 'These tests need redis-server. On Debian or Ubuntu: apt-get install redis-server'

/** For what needs a Redis. Without one it is skipped with a loud word; where nothing may be skipped it fails instead. */
export function describeWithRedis(name: string, tests: () => void): void {
  const isHere = places.some((place) => existsSync(place))
  if (!isHere && !process.env.CI) process.stderr.write(`\nSKIPPED: ${name}. ${howToInstall}\n`)
  if (isHere || process.env.CI) describe(name, tests)
  else describe.skip(name, tests)
}

interface TlsFiles {
  keyFile: string
  certificateFile: string
}

export async function startRedis(port: number, password: string, tls?: TlsFiles): Promise<RedisServer> {
  const binary = places.find((place) => existsSync(place))
  if (!binary) throw new Error(howToInstall)
  let child: ChildProcess
  const start = async () => {
    const settings = ['--bind', '127.0.0.1', '--save', '', '--requirepass', password]
    child = spawn(binary, [...settings, ...portOf(port, tls)], { stdio: 'ignore' })
    while (!(await isListening(port))) await wait(20)
  }
  await start()
  return {
    port,
    signal: (signal) => child.kill(signal),
    kill: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve()
        child.once('exit', () => resolve())
        child.kill('SIGKILL')
      }),
    restart: start,
  }
}

function portOf(port: number, tls: TlsFiles | undefined): string[] {
  if (!tls) return ['--port', String(port)]
  const files = ['--tls-key-file', tls.keyFile, '--tls-cert-file', tls.certificateFile]
  return ['--port', '0', '--tls-port', String(port), ...files, '--tls-auth-clients', 'no']
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

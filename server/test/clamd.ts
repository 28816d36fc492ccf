// A real clamd with a database of one signature, the EICAR test file's: it needs no download.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe } from 'vitest'
import { createScanner, parseScannerAddress } from '../src/platform/storage/clamav.ts'

export interface Clamd {
  /** As PORTICO_CLAMAV takes it. */
  address: string
  close(): Promise<void>
}

/** Harmless, and by agreement of the makers found by every scanner. In two pieces, so that none finds it here. */
export const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR', '-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('')

/** What clamd says when it finds it. */
export const eicarSignature = 'Eicar-Test-Signature.UNOFFICIAL'

/** For what needs a clamd. Without one it is skipped with a loud word; where nothing may be skipped it fails instead. */
export function describeWithClamd(name: string, tests: () => void): void {
  const isHere = places.some((place) => existsSync(place))
  if (!isHere && !process.env.CI) process.stderr.write(`\nSKIPPED: ${name}. ${howToInstall}\n`)
  if (isHere || process.env.CI) describe(name, tests)
  else describe.skip(name, tests)
}

const howToInstall = 'These tests need clamd, the daemon of ClamAV. On Debian or Ubuntu: apt-get install clamav-daemon'
const places = ['/usr/sbin/clamd', '/usr/local/sbin/clamd', '/opt/homebrew/sbin/clamd']

export async function startClamd({ stream_max_length = '25M' } = {}): Promise<Clamd> {
  const binary = places.find((place) => existsSync(place))
  if (!binary) throw new Error(howToInstall)
  const directory = await mkdtemp(join(tmpdir(), 'portico-clamd-'))
  const socket = join(directory, 'clamd.ctl')
  await mkdir(join(directory, 'database'))
  await mkdir(join(directory, 'work'))
  // Name, any kind of file, anywhere in it, the text in hex.
  await writeFile(
    join(directory, 'database', 'eicar.ndb'),
    `Eicar-Test-Signature:0:*:${Buffer.from(eicar).toString('hex')}\n`,
  )
  const settings = {
    Foreground: 'yes',
    LocalSocket: socket,
    DatabaseDirectory: join(directory, 'database'),
    TemporaryDirectory: join(directory, 'work'),
    StreamMaxLength: stream_max_length,
    MaxThreads: '2',
    SelfCheck: '0',
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`)
  await writeFile(join(directory, 'clamd.conf'), lines.join(''))
  await chmod(directory, 0o755)

  const child = spawn(binary, ['--config-file', join(directory, 'clamd.conf')], { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => {
      said = (said + bytes).slice(-4000)
    })
  const ended = new Promise<void>((resolve) => child.on('error', () => resolve()).on('exit', () => resolve()))
  const close = async () => {
    child.kill('SIGKILL')
    await ended
    await rm(directory, { recursive: true, force: true })
  }
  const address = `unix:${socket}`
  const scanner = createScanner(parseScannerAddress(address))
  for (const deadline = Date.now() + 30_000; ; await wait(50)) {
    const isThere = await scanner.ping().then(
      () => true,
      () => false,
    )
    if (isThere) return { address, close }
    if (child.exitCode !== null || Date.now() > deadline) {
      await close()
      throw new Error(`clamd did not start. It said:\n${said}`)
    }
  }
}

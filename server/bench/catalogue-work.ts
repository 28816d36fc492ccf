// What is done with a catalogue of any size: it is imported, and a project is calculated with it.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { dayNumber } from '../src/areas/funding-recommendations/matching/days.ts'
import { believableRecipients, knownProject } from './believable-programs.ts'
import type { Deployment } from './deployments.ts'
import type { TimedCall } from './latency.ts'
import { inheritedEnvironment, porticoProgram, runPortico } from './programs.ts'
import { processorMs, residentBytes } from './resident-memory.ts'

/** From the request to the completed calculation, in milliseconds. */
export async function calculate(call: TimedCall, project: string): Promise<number> {
  const begin = performance.now()
  const { id } = JSON.parse((await call(`/v1/projects/${project}/match-calculations/`, {})).text)
  for (;;) {
    const { state } = JSON.parse((await call(`/v1/projects/${project}/match-calculations/${id}/`)).text)
    if (state === 'completed') return performance.now() - begin
    if (state === 'failed') throw new Error('a calculation failed')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

export async function makeProject(origin: string, { key }: Deployment, businessId: string): Promise<string> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  }
  const made = await fetch(`${origin}/v1/projects/`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ business_id: businessId }),
  })
  const { id } = JSON.parse(await made.text())
  const url = `${origin}/v1/projects/${id}/criteria/`
  const { etag } = JSON.parse(await (await fetch(url, { headers })).text())
  // Some are left out, so that all outcomes occur.
  const { credit_score: _, collateral: __, ...values } = knownProject
  const changed = await fetch(url, {
    method: 'PATCH',
    headers: { ...headers, 'if-match': etag, 'idempotency-key': randomUUID() },
    body: JSON.stringify({ values }),
  })
  if (!changed.ok) throw new Error(await changed.text())
  return id
}

interface Import {
  milliseconds: number
  /** Of the command; what PostgreSQL takes is not in it. */
  processorMs: number
  /** The most memory the command has held. */
  peakBytes: number
  fileBytes: number
}

/** Brings the programmes in as an administrator would. */
export async function importPrograms({ environment, portal_id }: Deployment, programCount: number): Promise<Import> {
  const profile = ['--name', 'Bench', '--kind', 'lender', '--country', 'US']
  const { id } = await runPortico(['recipient', 'publish', '--portal', portal_id, ...profile], environment)
  const file = join(tmpdir(), `portico-bench-${process.pid}.jsonl`)
  try {
    const fileBytes = await writePrograms(file, programCount)
    const begin = performance.now()
    const args = [porticoProgram, 'program', 'import', file, '--recipient', id, '--json']
    const child = spawn(process.execPath, args, {
      env: { ...inheritedEnvironment(), ...environment },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const used = await usedBy(child)
    return { milliseconds: performance.now() - begin, ...used, fileBytes }
  } finally {
    rmSync(file, { force: true })
  }
}

async function writePrograms(file: string, programCount: number): Promise<number> {
  const out = createWriteStream(file)
  let number = 0
  for (const { programs } of believableRecipients(programCount, dayNumber('2026-06-15')))
    for (const { id: _, version: __, ...terms } of programs) {
      const row = { external_reference: `p-${number}`, name: `Programme ${number++}`, status: 'open', ...terms }
      if (!out.write(`${JSON.stringify(row)}\n`)) await once(out, 'drain')
    }
  await finished(out.end())
  return out.bytesWritten
}

/** Waits for a process to end well; the most memory and the processor time it was last seen with. */
async function usedBy(child: ChildProcess): Promise<Pick<Import, 'peakBytes' | 'processorMs'>> {
  let used = { peakBytes: 0, processorMs: 0 }
  const look = setInterval(() => {
    try {
      const [peakBytes, time] = [residentBytes(child.pid ?? 0, 'VmHWM') || 0, processorMs(child.pid ?? 0)]
      // One that has just ended has no memory any more.
      used = { peakBytes: Math.max(used.peakBytes, peakBytes), processorMs: time }
    } catch {
      // It has just ended.
    }
  }, 100)
  const [code] = await once(child, 'exit')
  clearInterval(look)
  if (code !== 0) throw new Error(`the import ended with ${code}`)
  return used
}

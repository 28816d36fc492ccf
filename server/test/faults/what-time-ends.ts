// What time ends, and what is to survive a clock that is wrong: commands that can be sent again, applications, files whose
// bytes are still to come, events, and the times of what repeats.
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { deployment as owner } from '../../src/platform/background/jobs.ts'
import { minute } from '../../src/platform/clock.ts'
import type { Context } from '../../src/platform/context.ts'
import type { RunningServer } from '../built-program.ts'
import { type DeclaredFile, declareFile, here } from './declared-files.ts'
import { type Deployment, readAll } from './deployment.ts'
import { scale } from './scale.ts'

export async function metric(port: number, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}

interface Command {
  key: string
  body: Record<string, unknown>
}

interface Filled {
  commands: (Command & { id: string })[]
  applications: string[]
  uploads: DeclaredFile[]
  events: string[]
}

export type WhatTimeEnds = ReturnType<typeof whatTimeEnds>

/** `beside` has the right time. */
export function whatTimeEnds(deployment: Deployment, beside: Context, serverNow: () => RunningServer) {
  const { key } = deployment
  const create = (command: Command) =>
    serverNow().call('POST', 'businesses/', { key, body: command.body, headers: { 'idempotency-key': command.key } })
  const read = async (path: string) => (await serverNow().call('GET', path, { key })).body

  /** Commands, and records that time ends: applications, and files whose bytes are still to come. */
  async function fill(): Promise<Filled> {
    const filled: Filled = { commands: [], applications: [], uploads: [], events: [] }
    for (let n = 0; n < scale.jumpCommands; n++) {
      const command = { key: randomUUID(), body: deployment.business() }
      filled.commands.push({ ...command, id: (await create(command)).body.id })
    }
    for (const { id } of filled.commands.slice(0, 12)) {
      const { body } = await serverNow().call('POST', 'client-intake-applications/', { key, body: { business_id: id } })
      filled.applications.push(`client-intake-applications/${body.id}/`)
    }
    for (const path of filled.applications.slice(0, 6))
      filled.uploads.push(await declareFile(serverNow(), deployment, path, content))
    filled.events = await eventIds()
    return filled
  }

  const content = Buffer.from('a,b\n1,2\n')

  async function eventIds(): Promise<string[]> {
    return (await readAll(serverNow(), key, 'events/?page_size=250')).map(({ id }) => id)
  }

  async function expectUnharmed(before: Filled, { areCredentialsValid = true } = {}): Promise<void> {
    for (const command of before.commands) {
      const again = await create(command)
      expect([again.status, again.headers.get('idempotent-replayed'), again.body.id]).toEqual([201, 'true', command.id])
    }
    for (const path of before.applications) expect((await read(path)).state).toBe('in_progress')
    for (const { path } of before.uploads) expect((await read(path)).state).toMatch(/^(awaiting_upload|available)$/)
    const waiting = before.uploads.pop()
    if (waiting) {
      const { url, headers } = waiting.upload
      const { status } = await fetch(here(serverNow(), url), { method: 'PUT', headers, body: content })
      expect(status).toBe(areCredentialsValid ? 200 : 401)
    }
    expect(await eventIds()).toEqual(expect.arrayContaining(before.events))
  }

  /** How long each repeating job still waits, by the right time; nothing for one that runs. */
  async function jobWaits(): Promise<number[]> {
    const rows = await beside.database.read.selectFrom('jobs').selectAll().where('portal_id', '=', owner).execute()
    return rows.map(({ run_at, lease }) => (lease === null ? Date.parse(run_at) - Date.now() : 0))
  }

  /** Lets every repeating job have its turn, as if its time had come. */
  async function runRepeatingJobs(): Promise<void> {
    expect((await jobWaits()).length).toBeGreaterThan(5)
    await beside.database.transaction((tx) =>
      tx
        .updateTable('jobs')
        .set({ run_at: new Date(Date.now() - minute).toISOString() })
        .where('portal_id', '=', owner)
        .where('lease', 'is', null)
        .execute(),
    )
    await expect.poll(async () => Math.min(...(await jobWaits())), { timeout: 30_000 }).toBeGreaterThan(0)
  }

  return { create, fill, expectUnharmed, jobWaits, runRepeatingJobs }
}

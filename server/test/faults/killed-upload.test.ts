// R9. Uploads are killed halfway, with the whole server, and the disk takes no more: a partial file is never visible,
// the client hears what to do, and the same upload succeeds afterwards.
import { hash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publishContract } from '../../src/building-blocks/contracts/commands.ts'
import { readConfig } from '../../src/platform/config.ts'
import type { RunningServer } from '../built-program.ts'
import { openTestContext } from '../harness.ts'
import shortContract from '../intake-contract.json' with { type: 'json' }
import { freePort } from '../postgres-cluster.ts'
import { beginIntake, type DeclaredFile, declareFile, here } from './declared-files.ts'
import { type Deployment, newDeployment, report } from './deployment.ts'
import { faultTimeoutMs, scale } from './scale.ts'
import { createSeededRandom } from './seeded-random.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await newDeployment({ files: 'directory' })
  const { context } = await openTestContext(readConfig(deployment.environment))
  const caller = { context, portal_id: deployment.portal_id, request_id: null }
  await context.database.transaction((tx) => publishContract(tx, caller, shortContract))
  await context.database.close()
})
afterAll(() => deployment.remove())

const bytes = Buffer.from(`a,b\n${randomBytes(8 * 1024 * 1024).toString('hex')}`)

test('an upload that is killed halfway is never visible, and succeeds when it is sent again', {
  timeout: faultTimeoutMs,
}, async () => {
  const port = await freePort()
  let server = await deployment.start({ port })
  const application = await beginIntake(server, deployment)
  const file = await declareFile(server, deployment, application, bytes)
  const random = createSeededRandom(9)
  for (let kill = 0; kill < scale.uploadKills; kill++) {
    await killAt(server, file, random.below(bytes.length))
    server = await deployment.start({ port })
    expect(await stateOf(server, file)).toBe('awaiting_upload')
    const early = await server.call('POST', `${file.path}download/`, { key: deployment.key })
    expect([early.status, early.body.code]).toEqual([409, 'upload_not_completed'])
  }
  expect(await put(server, file, bytes)).toBe(200)
  expect(await stateOf(server, file)).toBe('available')
  const { body: download } = await server.call('POST', `${file.path}download/`, { key: deployment.key })
  const kept = await fetch(here(server, download.url), { headers: download.headers })
  expect(hash('sha256', Buffer.from(await kept.arrayBuffer()), 'hex')).toBe(file.sha256)
  await server.kill('SIGKILL')
  report('R9 killed uploads', { kills: scale.uploadKills, 'partial files seen': 0 })
})

test('503 with Retry-After when the disk takes no more; nothing is kept, and what fits is still taken', {
  timeout: faultTimeoutMs,
}, async () => {
  const server = await deployment.start({ fileLimitKilobytes: 12 * 1024 })
  const application = await beginIntake(server, deployment)
  const file = await declareFile(server, deployment, application, bytes)
  const answer = await fetch(here(server, file.upload.url), {
    method: 'PUT',
    headers: file.upload.headers,
    body: new Uint8Array(bytes),
  })
  expect([answer.status, JSON.parse(await answer.text()).code]).toEqual([503, 'service_unavailable'])
  expect(answer.headers.get('retry-after')).toMatch(/^[0-9]+$/)
  expect(await stateOf(server, file)).toBe('awaiting_upload')
  const small = bytes.subarray(0, 100_000)
  const other = await declareFile(server, deployment, application, small)
  expect(await put(server, other, small)).toBe(200)
  expect(await stateOf(server, other)).toBe('available')
})

async function stateOf(server: RunningServer, { path }: DeclaredFile): Promise<string> {
  return (await server.call('GET', path, { key: deployment.key })).body.state
}

async function put(server: RunningServer, { upload }: DeclaredFile, content: Buffer): Promise<number> {
  const { headers } = upload
  const answer = await fetch(here(server, upload.url), { method: 'PUT', headers, body: new Uint8Array(content) })
  await answer.arrayBuffer()
  return answer.status
}

/** Sends some of the bytes, and kills the server when they are on their way. */
async function killAt(server: RunningServer, { upload }: DeclaredFile, count: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const headers = { ...upload.headers, 'content-length': String(bytes.length) }
    const sent = request(here(server, upload.url), { method: 'PUT', headers })
    sent.on('error', () => resolve()).on('close', () => resolve())
    sent.write(bytes.subarray(0, count + 1), () => {
      server.kill('SIGKILL').then(() => sent.destroy())
    })
  })
  await server.kill('SIGKILL')
}

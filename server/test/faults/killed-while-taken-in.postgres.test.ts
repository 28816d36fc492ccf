// Bytes that lie in a bucket become a file in several requests to it. A server is killed at each of them in turn, and
// another one finishes what it began: the file is available once, and is what was declared.
import { hash, randomBytes } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { publishContract } from '../../src/building-blocks/contracts/commands.ts'
import { checkUploadJob, discardBytesJob } from '../../src/building-blocks/questionnaires/files/job-names.ts'
import shortContract from '../intake-contract.json' with { type: 'json' }
import { startS3Server } from '../s3-server.ts'
import { beginIntake, declareFile } from './declared-files.ts'
import { readAll, report } from './deployment.ts'
import { faultTimeoutMs, isFull } from './scale.ts'
import { bucketSettings } from './spread.ts'
import { newWatchedDeployment } from './watched-deployment.ts'

const account = { access_key_id: 'AKIDKILLED', secret_access_key: 'secret', region: 'eu-central-1', bucket: 'files' }
const store = await startS3Server(account)
const environment = bucketSettings(store, account)
afterAll(() => store.close())
const { beside, caller, deployment, makeDue } = await newWatchedDeployment()

const often = { timeout: 30_000, interval: 50 }

/** Whether the bucket carried out what it was asked for when the server died, or never heard of it. */
const ways = isFull ? ([true, false] as const) : ([true] as const)

test.each(ways)(
  'kill -9 at each request of taking a file in (carried out: %s): it is available once, and whole',
  {
    timeout: faultTimeoutMs,
  },
  async (isCarriedOut) => {
    await beside.database.transaction((tx) => publishContract(tx, caller, shortContract))
    let server = await deployment.start({ environment })
    const asked: string[] = []
    for (let step = 0; ; step++) {
      const content = Buffer.from(`a,b\n${randomBytes(50_000).toString('hex')}\n`)
      const file = await declareFile(server, deployment, await beginIntake(server, deployment), content)
      const { url, headers } = file.upload
      expect((await fetch(url, { method: 'PUT', headers, body: new Uint8Array(content) })).status).toBe(200)

      let requests = 0
      let killed: Promise<unknown> | undefined
      store.faults.before = async (method, key) => {
        if (!key.includes(file.id) || requests++ !== step) return
        asked.push(`${method} ${key.split('/').length > 2 ? 'upload' : 'file'}`)
        killed = server.kill('SIGKILL')
        await killed
        if (!isCarriedOut) throw new Error('the bucket never heard of it')
      }
      const isAvailable = async () =>
        (await server.call('GET', file.path, { key: deployment.key })).body.state === 'available'
      // The upload is removed once the file is there.
      const left = () => [...store.objects.keys()].filter((key) => key.includes(file.id))
      const isRemoved = () => left().join() === `${deployment.portal_id}/${file.id}`
      const takeIn = async () => {
        await makeDue(checkUploadJob)
        await expect.poll(async () => killed !== undefined || (await isAvailable()), often).toBe(true)
        if (killed) return
        await makeDue(discardBytesJob)
        await expect.poll(() => killed !== undefined || isRemoved(), often).toBe(true)
      }
      await takeIn()
      delete store.faults.before
      const wasKilled = killed !== undefined
      if (wasKilled) {
        await killed
        killed = undefined
        server = await deployment.start({ environment })
        await takeIn()
      }

      const download = await server.call('POST', `${file.path}download/`, { key: deployment.key })
      const kept = await fetch(download.body.url, { headers: download.body.headers })
      expect(hash('sha256', Buffer.from(await kept.arrayBuffer()), 'hex')).toBe(file.sha256)
      const events = await readAll(server, deployment.key, `events/?page_size=250&resource_id=${file.id}`)
      expect(events.map(({ type }) => type)).toEqual(['file.available'])
      expect(left()).toEqual([`${deployment.portal_id}/${file.id}`])
      if (!wasKilled) break
    }
    // Uploads are removed a second time, when none can come any more.
    expect(asked.slice(0, 5)).toEqual(['GET upload', 'PUT file', 'GET file', 'GET file', 'DELETE upload'])
    report('kills while a file is taken in', { 'carried out': String(isCarriedOut), at: asked.join(' · ') })
    await server.kill('SIGKILL')
  },
)

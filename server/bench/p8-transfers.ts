import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createSend, newApplication, publishContract, type Send } from './applications.ts'
import { type Deployment, withBothServers } from './deployments.ts'
import { alternate, type Line, say, showCount, showRatio } from './report.ts'
import type { Settings } from './throughput.ts'

const megabytes = 50
/** What memory may grow by while files pass: some buffers, never a file. */
const flatMegabytes = 40

/** A file of 50 MB in and out, against the same bytes piped with their SHA-256 in bare Node. */
export async function measureTransfers(settings: Settings): Promise<Line[]> {
  const [engine] = settings.engines
  if (engine === undefined) return []
  // The bytes of files never touch the database: one engine says it all.
  say(`P8 on ${engine}`)
  const prepare = (deployment: Deployment) => publishContract(deployment, contract)
  return withBothServers(engine, settings.clusterUrl, prepare, async (deployment, portico, bare) => {
    const send = createSend(portico.origin, deployment)
    const application = await newApplication(send, deployment, 'transfers')
    const moveTo = (url: string) => url.replace(/^https?:\/\/[^/]+/, portico.origin)
    const ourUpload = async () => {
      const file = await declare(send, application.body.id)
      return speedOf(() => put(moveTo(file.upload.url), file.upload.headers))
    }
    const theirUpload = () => speedOf(() => put(`${bare.origin}/files/a.csv`, { 'content-type': 'text/csv' }))
    for (const warmUp of [ourUpload, theirUpload]) await warmUp()
    const before = residentMegabytes(portico.pid)
    const peak = watchPeak(portico.pid)
    const upload = await alternate(settings.rounds, ourUpload, theirUpload)

    const kept = await declare(send, application.body.id)
    await put(moveTo(kept.upload.url), kept.upload.headers)
    const path = `client-intake-applications/${application.body.id}/files/${kept.id}/download/`
    const ourDownload = async () => {
      const { body } = await send('POST', path)
      return speedOf(() => get(moveTo(body.url), body.headers))
    }
    const theirDownload = () => speedOf(() => get(`${bare.origin}/files/a.csv`, {}))
    for (const warmUp of [ourDownload, theirDownload]) await warmUp()
    const download = await alternate(settings.rounds, ourDownload, theirDownload)
    const grown = Math.max(0, peak() - before)

    const line = (measured: string, { ours, theirs, ratio, lowest, highest }: typeof upload): Line => ({
      figure: 'P8',
      measured,
      engine,
      ours: showCount(ours, 'MB/s'),
      theirs: `piped with SHA-256: ${showCount(theirs, 'MB/s')}`,
      ratio: showRatio({ ours, theirs, ratio, lowest, highest }),
      hold: '≥ 0.70',
      holds: ratio >= 0.7,
    })
    return [
      line(`upload of ${megabytes} MB`, upload),
      line(`download of ${megabytes} MB`, download),
      {
        figure: 'P8',
        measured: `memory while ${2 * settings.rounds} such files pass`,
        engine,
        ours: `+${Math.round(grown)} MB at the peak`,
        theirs: `before: ${Math.round(before)} MB`,
        ratio: '',
        hold: `≤ +${flatMegabytes} MB`,
        holds: grown <= flatMegabytes,
      },
    ]
  })
}

const bytes = Buffer.alloc(megabytes * 1_000_000, 'date,amount\n2026-03-01,12.50\n')
const sha256 = hash('sha256', bytes, 'hex')

const contract = {
  kind: 'client_intake',
  title: 'Files',
  locale: 'en-US',
  sections: [{ key: 'files', title: 'Files' }],
  questions: [
    { key: 'statements', section: 'files', type: 'file', label: 'Statements', validation: { max_files: 100 } },
  ],
}

async function declare(send: Send, applicationId: string) {
  const path = `client-intake-applications/${applicationId}/`
  const { etag } = await send('GET', path)
  const body = {
    question_key: 'statements',
    filename: 'a.csv',
    content_type: 'text/csv',
    size_bytes: bytes.length,
    sha256,
  }
  return (await send('POST', `${path}files/`, body, { 'if-match': etag })).body
}

async function speedOf(transfer: () => Promise<number>): Promise<number> {
  const begin = performance.now()
  const moved = await transfer()
  if (moved < bytes.length) throw new Error(`only ${moved} bytes were moved`)
  return moved / 1000 / (performance.now() - begin)
}

function put(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: 'PUT', headers: { ...headers, 'content-length': bytes.length } },
      (response) => {
        response.resume().on('end', () => {
          if (response.statusCode === 200) resolve(bytes.length)
          else reject(new Error(`an upload was answered with ${response.statusCode}`))
        })
      },
    )
    sent.on('error', reject)
    sent.end(bytes)
  })
}

function get(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      let count = 0
      response.on('data', (chunk) => {
        count += chunk.length
      })
      response.on('end', () => resolve(count)).on('error', reject)
    })
      .on('error', reject)
      .end()
  })
}

function residentMegabytes(pid: number): number {
  return Number(/^VmRSS:\s+([0-9]+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000
}

/** Looks at a process every 20 ms, until it is asked for the most it has seen. */
function watchPeak(pid: number): () => number {
  let peak = 0
  const timer = setInterval(() => {
    peak = Math.max(peak, residentMegabytes(pid))
  }, 20)
  return () => {
    clearInterval(timer)
    return peak
  }
}

// Servers on this machine that a test talks to through real sockets; all of them are gone after `cleanUp`.
import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'

/** What is to be taken down after a test, the last one first. */
export const cleanups: (() => unknown)[] = []

export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
}

export function serve(listener: RequestListener) {
  return listen(createServer(listener))
}

export async function listen(server: Server) {
  const sockets = new Set<Socket>()
  let count = 0
  server.on('connection', (socket: Socket) => {
    count += 1
    sockets.add(socket)
    // What the other side breaks off is no failure of the test.
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // safe because a server that listens on TCP has such an address
  const { port } = server.address() as AddressInfo
  const close = () => {
    for (const socket of sockets) socket.destroy()
    return new Promise<void>((done) => server.close(() => done()))
  }
  cleanups.push(close)
  return {
    port,
    close,
    connections: () => count,
    /** Waits until no connection is left open. */
    closed: () => expect.poll(() => sockets.size, { timeout: 5000 }).toBe(0),
  }
}

export async function serveTls(names: string) {
  const { keyFile, certificateFile } = makeCertificate(names)
  const certificate = readFileSync(certificateFile, 'utf8')
  let count = 0
  const server = createTlsServer({ key: readFileSync(keyFile), cert: certificate }, (_, response) => {
    count += 1
    response.end('secured')
  })
  return { ...(await listen(server)), certificate, requests: () => count }
}

/** Signed by itself, for these names; two files. */
export function makeCertificate(names: string) {
  const folder = mkdtempSync(join(tmpdir(), 'portico-tls-'))
  cleanups.push(() => rmSync(folder, { recursive: true }))
  const [keyFile, certificateFile] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const content = ['-subj', '/CN=portico test', '-addext', `subjectAltName=${names}`]
  const files = ['-keyout', keyFile, '-out', certificateFile]
  execFileSync('openssl', ['req', '-x509', ...kind, ...content, ...files], { stdio: 'ignore' })
  return { keyFile, certificateFile }
}

/** Answers every question with the bytes for its type (1 is A, 28 is AAAA), if it has any. */
export async function nameServer(
  answers: Record<number, number[]> | 'silent',
  questions: Buffer[] = [],
): Promise<string> {
  const socket = createSocket('udp4')
  socket.on('message', (question, { port, address }) => {
    questions.push(question)
    if (answers === 'silent') return
    // Header, then the name up to its empty label, then type and class.
    const end = question.indexOf(0, 12) + 5
    const data = answers[question.readUInt16BE(end - 4)]
    const header = Buffer.from([0x81, 0x80, 0, 1, 0, data ? 1 : 0, 0, 0, 0, 0])
    const record = data ? [0xc0, 12, ...question.subarray(end - 4, end), 0, 0, 0, 60, 0, data.length, ...data] : []
    socket.send(
      Buffer.concat([question.subarray(0, 2), header, question.subarray(12, end), Buffer.from(record)]),
      port,
      address,
    )
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  cleanups.push(() => socket.close())
  return `127.0.0.1:${socket.address().port}`
}

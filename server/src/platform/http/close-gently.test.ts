import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { closeGently } from './close-gently.ts'

test('nobody is cut off while a server closes, however many knock meanwhile', async () => {
  const crowd = spawn(process.execPath, ['-e', knocking], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  onTestFinished(() => void crowd.kill('SIGKILL'))
  for (let closed = 0; closed < 5; closed++) {
    const server = await open()
    crowd.send(server.port)
    await server.answered(50)
    await server.close()
  }
  crowd.send('tell')
  const [{ answered, refused, ...others }] = await once(crowd, 'message')
  expect(answered).toBeGreaterThanOrEqual(250)
  expect(others).toEqual({})
})

test('callers who never speak, or never finish what they began to say, do not keep a server that closes', async () => {
  const server = await open()
  const callers = ['', 'GET / HTTP/1.1\r\nHost: '].map((said) => {
    const caller = connect(server.port, '127.0.0.1').on('error', () => undefined)
    caller.write(said)
    return caller
  })
  await Promise.all(callers.map((caller) => once(caller, 'connect')))
  const left = callers.map((caller) => once(caller, 'close'))
  await server.close()
  await Promise.all(left)
})

async function open() {
  const app = fastify({ forceCloseConnections: 'idle', return503OnClosing: false })
  let answered = 0
  let awaited = { count: 0, resolve: (): void => undefined }
  const held = closeGently(app, { close: () => undefined })
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('connection', 'close')
    const end = held()
    if (end) end.then(() => done())
    else done()
  })
  app.get('/', async () => {
    if (++answered === awaited.count) awaited.resolve()
    return {}
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  // safe because it listens on a port
  const { port } = app.server.address() as AddressInfo
  return {
    port,
    answered: (count: number) =>
      new Promise<void>((resolve) => {
        awaited = { count, resolve }
      }),
    close: () => app.close(),
  }
}

/** Another process: a request every 2 ms, whether or not those before it are answered, as long as fewer than 200 are open. */
const knocking = `
const { request } = require('node:http')
const counts = { answered: 0, refused: 0 }
let port
let open = 0
const count = (outcome) => { open--; counts[outcome] = (counts[outcome] ?? 0) + 1 }
const knock = () => {
  if (!port || open >= 200) return
  open++
  const sent = request({ port, host: '127.0.0.1', agent: false })
  sent.on('response', (response) => response.resume().on('end', () => count('answered')))
  sent.on('error', ({ code }) => count(code === 'ECONNREFUSED' ? 'refused' : code))
  sent.end()
}
setInterval(knock, 2)
process.on('message', (message) => {
  if (message !== 'tell') return void (port = message)
  port = undefined
  const look = setInterval(() => { if (open === 0) process.send(counts, () => process.exit()) }, 20)
})
process.on('disconnect', () => process.exit())
`

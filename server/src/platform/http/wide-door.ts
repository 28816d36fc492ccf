// Node lets in one connection in each round of the event loop (libuv 1.45 and later). When a round is full of work, a
// few hundred connections a second come in; the others wait in the kernel for seconds, probes among them, and callers
// open more. A listening socket that is open several times is reported several times, and each round lets in as many.
// Node cannot open it again itself, but what is sent to another process arrives as a copy. So when a crowd comes for the
// first time, a process is started that sends the socket back as often as it is wanted, and ends.
import { type SendHandle, spawn } from 'node:child_process'
import { createServer, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Logger } from '../logging.ts'

/** Opens more doors to a server as soon as connections come faster than they are let in. */
export function widenDoor(app: FastifyInstance, log: Logger): void {
  const { server } = app
  const doors: Server[] = []
  const closed: Promise<void>[] = []
  let isClosing = false
  const openDoor = (handle: object) => {
    // As an HTTP server has it.
    const door = createServer({ allowHalfOpen: true, noDelay: true })
    door.on('error', (error) => log.warn({ err: error }, 'a further door for connections could not be opened'))
    door.on('connection', (socket) => server.emit('connection', socket))
    door.listen(handle, backlog)
    doors.push(door)
    closed.push(new Promise((resolve) => door.once('close', resolve)))
    if (isClosing) door.close()
  }
  watchForCrowd(server, () => {
    if (!isClosing) copySocket(server, openDoor, log)
  })
  // Registered after those that let the last callers in: nobody is to be cut off.
  app.addHook('preClose', async () => {
    isClosing = true
    for (const door of doors) door.close()
  })
  app.addHook('onClose', async () => {
    await Promise.all(closed)
  })
}

/** As many copies of a listening socket as there are to be further doors. Without them it all goes on, more slowly. */
function copySocket(server: Server, copied: (handle: object) => void, log: Logger): void {
  // safe because Node keeps the socket of a listening server there, and takes it in `send` and in `listen`
  const { _handle: handle } = server as Server & { _handle?: SendHandle }
  if (!handle) return
  const helper = spawn(process.execPath, ['-e', sendBack], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], env: {} })
  const patience = setTimeout(() => helper.kill('SIGKILL'), longestHelpMs)
  let copies = 0
  const failed = (error: Error) => log.warn({ err: error }, 'connections are let in one by one')
  helper.once('error', failed)
  helper.on('message', (_message, copy) => {
    if (copy) copied(copy)
    if (++copies === furtherDoors) helper.disconnect()
  })
  helper.once('exit', () => {
    clearTimeout(patience)
    if (copies === furtherDoors) log.info({ doors: 1 + copies }, 'many connections: further doors were opened')
    else failed(new Error(`the socket was copied ${copies} times only`))
  })
  helper.send(furtherDoors, handle, (error) => error && failed(error))
}

/** It ends with the process that started it, whatever happens to that: it holds the port meanwhile. */
const sendBack = `
process.once('disconnect', () => process.exit())
process.on('message', (count, socket) => { for (let sent = 0; sent < count; sent++) process.send(sent, socket) })
`

/** Once, when many rounds in a row have let somebody in. */
function watchForCrowd(server: Server, found: () => void): void {
  let isLooking = false
  let hasArrived = false
  let rounds = 0
  const look = () => {
    rounds = hasArrived ? rounds + 1 : 0
    isLooking = hasArrived
    hasArrived = false
    if (rounds >= crowdedRounds) {
      server.removeListener('connection', arrived)
      found()
    } else if (isLooking) setImmediate(look)
  }
  const arrived = () => {
    hasArrived = true
    if (!isLooking) setImmediate(look)
    isLooking = true
  }
  server.on('connection', arrived)
}

export const backlog = 4096
const furtherDoors = 15
/** So many one after the other are no chance. */
const crowdedRounds = 64
const longestHelpMs = 30_000

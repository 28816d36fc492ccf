// Node lets in one connection in each round of the event loop (libuv 1.45 and later). When a round is full of work, a
// few hundred connections a second come in; the others wait in the kernel for seconds, probes among them, and callers
// open more. A listening socket that is open several times is reported several times, and each round lets in as many.
// Node cannot open it again itself, but what is sent to another process arrives as a copy. So when a crowd comes for the
// first time, a process is started that sends the socket back as often as it is wanted, and ends.
import { type SendHandle, spawn } from 'node:child_process'
import { createServer, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Logger } from '../logging.ts'

interface WideDoor {
  /** From now on nobody comes in; those who are in may finish. */
  close(): void
}

/** Opens more doors to a server as soon as connections come faster than they are let in. */
export function widenDoor(app: FastifyInstance, log: Logger, program = process.execPath): WideDoor {
  const { server } = app
  const doors: Server[] = []
  const closed: Promise<void>[] = []
  let isClosing = false
  let helper: Helper | undefined
  const openDoor = (handle: Copy) => {
    // A copy that came late holds the port like any other.
    if (isClosing) return handle.close()
    // As an HTTP server has it.
    const door = createServer({ allowHalfOpen: true, noDelay: true })
    door.on('error', (error) => log.warn({ err: error }, 'a further door for connections has failed'))
    door.on('connection', (socket) => server.emit('connection', socket))
    door.listen(handle, backlog)
    doors.push(door)
    closed.push(new Promise((resolve) => door.once('close', resolve)))
  }
  watchForCrowd(server, () => {
    if (isClosing) return
    try {
      helper = copySocket(server, program, openDoor, log)
    } catch (error) {
      log.warn({ err: error }, tooNarrow)
    }
  })
  // It has the socket, too: whoever knocks after the end would wait for nobody.
  app.addHook('preClose', async () => {
    isClosing = true
    await helper?.stop()
  })
  app.addHook('onClose', async () => {
    await Promise.all(closed)
  })
  return {
    close() {
      for (const door of doors) door.close()
    },
  }
}

interface Copy {
  close(): void
}

interface Helper {
  stop(): Promise<void>
}

/** As many copies of a listening socket as there are to be further doors. Without them it all goes on, more slowly. */
function copySocket(server: Server, program: string, copied: (handle: Copy) => void, log: Logger): Helper {
  // safe because Node keeps the socket of a listening server there, and takes it in `send` and in `listen`
  const { _handle: handle } = server as Server & { _handle?: SendHandle }
  const helper = spawn(program, ['-e', sendBack], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], env: {} })
  let copies = 0
  let isGone = false
  const gone = new Promise<void>((resolve) => {
    const ended = (error?: Error) => {
      if (!isGone && copies === furtherDoors)
        log.info({ doors: 1 + copies }, 'many connections: further doors were opened')
      else if (!isGone) log.warn({ err: error, doors: 1 + copies }, tooNarrow)
      isGone = true
      clearTimeout(patience)
      resolve()
    }
    helper.on('error', ended)
    helper.once('exit', () => ended())
  })
  const patience = setTimeout(() => helper.kill('SIGKILL'), longestHelpMs).unref()
  helper.on('message', (_message, copy) => {
    if (!copy) return
    // safe because what is sent is what Node keeps a listening socket in
    copied(copy as unknown as Copy)
    if (++copies === furtherDoors) helper.disconnect()
  })
  // A process that could not be started has nothing to send to.
  if (handle && helper.connected) helper.send(furtherDoors, handle, (error) => error && helper.kill('SIGKILL'))
  else helper.kill('SIGKILL')
  return {
    async stop() {
      if (!isGone) helper.kill('SIGKILL')
      await gone
    },
  }
}

const tooNarrow = 'many connections: further doors could not be opened, so they are let in slowly'

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

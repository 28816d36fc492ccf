// A line to PostgreSQL that breaks at the worst moment: the COMMIT of a chosen transaction goes through, PostgreSQL
// answers it, and both ends are cut before the answer is passed on. Messages of the protocol are a letter, a length
// that counts itself, and the rest; only the very first message has no letter.
import { connect, createServer, type Socket } from 'node:net'

export interface CommitCutter {
  /** The address of the database, through this line. */
  url: string
  /** Commits whose answers were lost so far. */
  cuts(): number
  close(): Promise<void>
}

/** `isChosen` sees each statement; the transaction with a chosen one loses the answer to its COMMIT. */
export async function openCommitCutter(
  databaseUrl: string,
  isChosen: (statement: string) => boolean,
): Promise<CommitCutter> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let cuts = 0

  const server = createServer((client) => {
    const database = connect({ host: target.hostname, port: Number(target.port) })
    let isCommitting = false
    let hasChosen = false
    const cut = () => {
      client.destroy()
      database.destroy()
    }
    const readStatement = createStatementReader((statement) => {
      if (/^begin\b/i.test(statement)) hasChosen = false
      else if (isChosen(statement)) hasChosen = true
      else if (/^commit\b/i.test(statement) && hasChosen) isCommitting = true
    })
    client.on('data', (bytes) => {
      readStatement(bytes)
      database.write(bytes)
    })
    database.on('data', (bytes) => {
      // The transaction before it has been answered already, so this can only be the answer to the COMMIT.
      if (isCommitting) {
        if (!client.destroyed) cuts++
        cut()
      } else client.write(bytes)
    })
    for (const socket of [client, database]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.once('error', cut)
      socket.once('close', () => {
        sockets.delete(socket)
        cut()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = new URL(databaseUrl)
  url.port = String(typeof address === 'object' && address ? address.port : 0)
  return {
    url: url.href,
    cuts: () => cuts,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Hands over the text of every Query and Parse message, however the bytes were cut into pieces. */
function createStatementReader(onStatement: (statement: string) => void): (bytes: Buffer) => void {
  let pending: Buffer = Buffer.alloc(0)
  let isStarted = false
  return (bytes) => {
    pending = Buffer.concat([pending, bytes])
    for (;;) {
      const letters = isStarted ? 1 : 0
      if (pending.length < letters + 4) return
      const end = letters + pending.readUInt32BE(letters)
      if (pending.length < end) return
      const kind = isStarted ? String.fromCharCode(pending[0] ?? 0) : ''
      const fields = pending.toString('utf8', letters + 4, end).split('\0')
      if (kind === 'Q') onStatement(fields[0] ?? '')
      // Parse names the prepared statement first.
      if (kind === 'P') onStatement(fields[1] ?? '')
      isStarted = true
      pending = pending.subarray(end)
    }
  }
}

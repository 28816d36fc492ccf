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
    let hasChosen = false
    /** Answers to a COMMIT that will come, in the order of the statements: true for one to be lost. */
    const expected: boolean[] = []
    let isCut = false
    const cut = () => {
      client.destroy()
      database.destroy()
    }
    const readStatement = createStatementReader((statement) => {
      if (/^begin\b/i.test(statement)) hasChosen = false
      else if (isChosen(statement)) hasChosen = true
      else if (/^commit\b/i.test(statement)) expected.push(hasChosen)
    })
    const readAnswer = createMessageReader(true, (kind, message) => {
      // "Command complete", with the command.
      if (kind === 'C' && message.toString('latin1').startsWith('COMMIT')) isCut ||= expected.shift() ?? false
    })
    client.on('data', (bytes) => {
      readStatement(bytes)
      database.write(bytes)
    })
    database.on('data', (bytes) => {
      // The statements of a transaction are sent without waiting: only this answer says that it is committed.
      readAnswer(bytes)
      if (isCut) {
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

/** Hands over the text of every statement that is executed: sent as it is, or prepared before under a name. */
function createStatementReader(onStatement: (statement: string) => void): (bytes: Buffer) => void {
  const prepared = new Map<string, string>()
  return createMessageReader(false, (kind, message) => {
    const fields = message.toString('utf8').split('\0')
    if (kind === 'Q') onStatement(fields[0] ?? '')
    // Parse: the name of the statement, then its text.
    if (kind === 'P') prepared.set(fields[0] ?? '', fields[1] ?? '')
    // Bind: the name of the portal, then that of the statement.
    if (kind === 'B') onStatement(prepared.get(fields[1] ?? '') ?? '')
  })
}

/** Hands over every message, however the bytes were cut into pieces. The first one a client sends has no letter. */
function createMessageReader(
  isStarted: boolean,
  onMessage: (kind: string, message: Buffer) => void,
): (bytes: Buffer) => void {
  let pending: Buffer = Buffer.alloc(0)
  let hasLetter = isStarted
  return (bytes) => {
    pending = Buffer.concat([pending, bytes])
    for (;;) {
      const letters = hasLetter ? 1 : 0
      if (pending.length < letters + 4) return
      const end = letters + pending.readUInt32BE(letters)
      if (pending.length < end) return
      onMessage(hasLetter ? String.fromCharCode(pending[0] ?? 0) : '', pending.subarray(letters + 4, end))
      hasLetter = true
      pending = pending.subarray(end)
    }
  }
}

// Stands between a server and its database, and takes it away in the ways databases go away.
import { connect, createServer, type Socket } from 'node:net'

interface TcpProxy {
  port: number
  /** `pass` bytes on; `refuse` cuts connections, old and new; `hang` keeps them open and lets nothing through. */
  set(mode: 'pass' | 'refuse' | 'hang'): void
  stop(): Promise<void>
}

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  let mode: Parameters<TcpProxy['set']>[0] = 'pass'
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    if (mode === 'refuse') {
      near.destroy()
      return
    }
    const far = connect(target.port, target.host)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => mode === 'pass' && to.write(bytes))
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    set(next) {
      mode = next
      if (mode === 'refuse') for (const socket of sockets) socket.destroy()
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

// A connection that hears what other processes announce. It may be lost at any time: it comes back by itself, and nobody
// depends on it.
import pg from 'pg'

export const channel = 'portico_events'
const retryMs = 5000

export function listenOnConnection(connectionString: string, heard: () => void): () => Promise<void> {
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const connect = async () => {
    const next = new pg.Client({
      connectionString,
      application_name: 'portico events',
      connectionTimeoutMillis: 3000,
      // Nothing is ever sent on it: only this tells that the other side is gone.
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    })
    client = next
    const again = () => {
      if (client !== next) return
      client = undefined
      next.end().catch(() => undefined)
      if (!isStopped) timer = setTimeout(connect, retryMs).unref()
    }
    next.on('error', again)
    next.on('end', again)
    next.on('notification', heard)
    try {
      await next.connect()
      await next.query(`listen ${channel}`)
    } catch {
      // Away for now; the look from time to time goes on without it.
      again()
    }
  }
  void connect()
  return async () => {
    isStopped = true
    clearTimeout(timer)
    const last = client
    client = undefined
    await last?.end().catch(() => undefined)
  }
}

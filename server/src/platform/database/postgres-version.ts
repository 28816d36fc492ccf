// Whether the server is one that this release supports. It says its version while connecting: nobody has to ask.
import pg from 'pg'
import { oldServerCode } from './database.ts'

const oldest = 15

export class VersionedClient extends pg.Client {
  serverVersion = ''

  constructor(config?: string | pg.ClientConfig) {
    super(config)
    this.connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (parameterName === 'server_version') this.serverVersion = parameterValue
    })
  }
}

/** For the pool, which asks of each new connection. */
export function requireVersion(client: pg.PoolClient, done: (error?: Error) => void): void {
  const version = client instanceof VersionedClient ? client.serverVersion : ''
  const isFit = Number.parseInt(version, 10) >= oldest
  const error = new Error(`its version is ${version || 'not known'}, and Portico needs PostgreSQL ${oldest} or later`)
  done(isFit ? undefined : Object.assign(error, { code: oldServerCode }))
}

// The clients of PostgreSQL. A server says its version while connecting: nobody has to ask whether this release supports it.
import pg from 'pg'
import { oldServerCode } from './database.ts'
import { withTlsFiles } from './postgres-tls.ts'

const oldest = 15

export class VersionedClient extends pg.Client {
  serverVersion = ''

  constructor(config: pg.ClientConfig = {}) {
    super(withTlsFiles(config))
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

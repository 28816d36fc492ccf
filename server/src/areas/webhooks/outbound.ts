// The one client for all that goes to endpoints of webhooks: its connections are kept, and all of them are checked.
import type { Context } from '../../platform/context.ts'
import type { Outbound } from '../../platform/outbound/calls.ts'

const clients = new WeakMap<Context['config'], Promise<Outbound>>()

/** Where endpoints may be: on the public Internet, outside staging by https only; anywhere for development. */
export function addressRules({ allow_private_addresses: allowPrivate, environment }: Context['config']) {
  return { allowPrivate, allowHttp: allowPrivate || environment === 'staging' }
}

export function outboundOf(context: Context): Promise<Outbound> {
  let client = clients.get(context.config)
  if (!client) {
    // Not loaded before it is needed.
    client = import('../../platform/outbound/calls.ts').then(({ createOutbound }) =>
      createOutbound({
        ...addressRules(context.config),
        // More than the dispatcher uses: challenges need some, too.
        maximumConnections: 320,
        keepAliveMs: 10_000,
      }),
    )
    clients.set(context.config, client)
  }
  return client
}

/** Ends the client, once nothing is sent any more. */
export async function closeOutbound({ config }: Context): Promise<void> {
  const client = clients.get(config)
  clients.delete(config)
  await (await client)?.close()
}

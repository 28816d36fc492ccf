import { apiUrl, type Context, docsUrl } from '../../platform/context.ts'
import { type Document, defineRead, type Operation } from '../../platform/http/operation.ts'
import { resources } from './resources.ts'
import { ApiRoot, OpenApiDocument } from './schema.ts'

/** The root describes what the other operations offer, so it is made from their list. */
export function portalOperations(
  others: readonly Operation[],
  openApiFor: (context: Context, grants: ReadonlySet<string>) => Document,
): Operation[] {
  const offered = resources.flatMap(({ name, actions, path }) => {
    const own = others.filter(({ grant }) => grant.length > 0 && grant.every((one) => one.startsWith(`${name}:`)))
    // The collection of the resource itself, or the first collection with the same grant.
    const entry = own.find((operation) => operation.path === path) ?? own.find(({ path }) => !path.includes('{'))
    return entry ? [{ name, actions, path: entry.path }] : []
  })
  return [
    defineRead({
      id: 'root.read',
      path: '/',
      resource: 'API root',
      summary: 'Read the API root',
      description:
        'Returns the Portal and environment of the API key, and the resources the key can use. A good first request.',
      grant: [],
      response: ApiRoot,
      async read(_db, { caller, principal }) {
        const { config } = caller.context
        const { rate_limits, grants, key } = principal
        return {
          portal: { id: principal.portal_id, name: principal.portal_name },
          environment: config.environment,
          api_version: 'v1' as const,
          key,
          resources: offered
            .map(({ name, path, actions }) => ({
              name,
              url: apiUrl(config, path),
              actions: actions.filter((action) => grants.has(`${name}:${action}`)),
            }))
            .filter(({ actions }) => actions.length > 0),
          rate_limits: config.rate_limits
            ? Object.entries(rate_limits).map(([name, limit]) => ({ name, ...limit }))
            : [],
          links: {
            openapi: apiUrl(config, '/openapi.json'),
            docs: docsUrl(config, '/'),
            llms: `${config.public_url}/llms.txt`,
          },
        }
      },
    }),
    defineRead({
      id: 'root.openapi',
      path: '/openapi.json',
      resource: 'API root',
      summary: 'Read the OpenAPI document of a key',
      description: 'Returns the OpenAPI document with only the operations that this key can call.',
      grant: [],
      response: OpenApiDocument,
      read: async (_db, { caller, principal }) => openApiFor(caller.context, principal.grants),
    }),
  ]
}

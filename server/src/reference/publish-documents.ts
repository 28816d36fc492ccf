// The public documents: built from the operations on first use, with this deployment's own address in them.

import { readdirSync, readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { day, isoTime } from '../platform/clock.ts'
import type { Config } from '../platform/config.ts'
import { type Context, docsUrl } from '../platform/context.ts'
import { qualityOf } from '../platform/http/negotiation.ts'
import { ApiError } from '../platform/protocol/errors.ts'
import { etagOfText, isKnown } from '../platform/protocol/etag.ts'
import { renderHtml, styleSheet } from './html.ts'
import { buildPages } from './markdown.ts'
import { buildOpenApi, type Published } from './openapi.ts'

export function publishDocuments(app: FastifyInstance, published: Published, context: Context): void {
  const { config } = context
  const openapi = once(() => `${JSON.stringify(buildOpenApi(published, config), null, 2)}\n`)
  const pages = once(() => new Map([...buildPages(published, config), ...readGuides(config)]))

  const serve = (url: string, type: string, make: (request: FastifyRequest) => string | Promise<string>) => {
    app.get(url, async (request, reply) => send(request, reply, type, await make(request)))
  }
  serve('/docs/generated/openapi.json', 'application/json; charset=utf-8', openapi)
  serve('/docs/style.css', 'text/css; charset=utf-8', () => styleSheet)
  serve('/llms.txt', 'text/plain; charset=utf-8', () => llmsText(pages(), context))
  serve('/.well-known/security.txt', 'text/plain; charset=utf-8', () => securityText(context))
  serve('/.well-known/api-catalog', 'application/linkset+json', () => apiCatalog(context))
  const html = new Map<string, string>()
  const page = async (request: FastifyRequest, reply: FastifyReply) => {
    const asked = (request.url.split('?', 1)[0] ?? '').replace(/^\/docs\/?/, '').replace(/\/$/, '')
    const picture = asked.endsWith('.svg') ? pages().get(asked) : undefined
    if (picture !== undefined) return send(request, reply, svg, picture)
    const bare = asked.replace(/\.md$/, '') || 'rest-api-reference/index'
    const name = [bare, `${bare}/index`].find((one) => pages().has(`${one}.md`))
    if (name === undefined)
      throw new ApiError('route_not_found', {
        message: 'This documentation page does not exist. GET /docs/ lists the pages.',
      })
    const markdown = pages().get(`${name}.md`) ?? ''
    const { accept } = request.headers
    const wantsMarkdown = asked.endsWith('.md') || qualityOf(accept, 'text/markdown') > qualityOf(accept, 'text/html')
    if (wantsMarkdown) return send(request, reply, 'text/markdown; charset=utf-8', markdown)
    const rendered = html.get(name) ?? (await renderHtml(markdown, name))
    html.set(name, rendered)
    return send(request, reply, 'text/html; charset=utf-8', rendered)
  }
  app.get('/docs', page)
  app.get('/docs/*', page)
}

/** The document a key sees, kept per set of grants. */
export function createKeyDocuments(published: Omit<Published, 'states'>) {
  const documents = new Map<string, { text: string; etag: string }>()
  return (context: Context, grants: ReadonlySet<string>) => {
    const name = `${context.config.public_url} ${[...grants].join(' ')}`
    let document = documents.get(name)
    if (!document) {
      const operations = published.operations.filter(
        ({ grant }) => grant.length === 0 || grant.some((one) => grants.has(one)),
      )
      const events = grants.has('webhooks:read') || grants.has('webhooks:write') ? published.events : []
      const others = published.others.filter(({ grant }) => grant.some((one) => grants.has(one)))
      const text = JSON.stringify(buildOpenApi({ ...published, operations, events, others }, context.config))
      document = { text, etag: etagOfText(text) }
      documents.set(name, document)
    }
    return document
  }
}

const svg = 'image/svg+xml'

function send(request: FastifyRequest, reply: FastifyReply, type: string, text: string): FastifyReply {
  const { bytes, etag } = ready(text)
  reply.headers({
    'content-type': type,
    etag,
    'cache-control': 'public, max-age=300',
    vary: 'accept',
    'content-security-policy':
      "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'self'; frame-ancestors 'none'",
  })
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.send(bytes)
}

/**
 * A text as it goes out: bytes, because Fastify would add a charset to types that have none, and the same ones for
 * everybody, so that a slow reader keeps no copy waiting.
 */
function ready(text: string): { bytes: Buffer; etag: string } {
  let found = readied.get(text)
  if (!found) {
    if (readied.size >= mostReadied) readied.clear()
    found = { bytes: Buffer.from(text), etag: etagOfText(text) }
    readied.set(text, found)
  }
  return found
}
const readied = new Map<string, { bytes: Buffer; etag: string }>()
const mostReadied = 1000

function once<T>(make: () => T): () => T {
  let value: T | undefined
  return () => {
    value ??= make()
    return value
  }
}

/** The guides, with this deployment's own address in place of the default one. */
function readGuides({ public_url }: Config): [string, string][] {
  // The build puts a copy beside the program.
  const folder = new URL(import.meta.url.endsWith('.ts') ? '../../../docs/guides/' : './guides/', import.meta.url)
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => [
      `guides/${name}`,
      readFileSync(new URL(name, folder), 'utf8').replaceAll(defaultAddress, public_url),
    ])
}

const defaultAddress = 'http://127.0.0.1:8080'

function llmsText(pages: Map<string, string>, { config }: Context): string {
  const line = ([path, text]: [string, string]) =>
    `- [${/^# (.+)$/m.exec(text)?.[1] ?? path}](${docsUrl(config, `/${path}`)})`
  const of = (prefix: string) =>
    [...pages]
      .filter(([path]) => path.startsWith(prefix))
      .map(line)
      .join('\n')
  return `# Portico

> The server-to-server API of a funding Portal: create businesses, complete client intake applications with their answers and files, match projects with funding programmes, and read an event for every change.

Send \`Authorization: Bearer <API_KEY>\` with every request. The base address is ${config.public_url}/v1/.

## Guides

${of('guides/')}

## Reference

${of('rest-api-reference/')}

## Optional

- [OpenAPI 3.1 document](${docsUrl(config, '/generated/openapi.json')})
${of('errors/')}
${of('events/')}
`
}

function securityText({ config, clock }: Context): string {
  // To the day, so that the text is the same all day.
  const expires = `${isoTime(clock.now() + 180 * day).slice(0, 10)}T00:00:00.000Z`
  return `Contact: ${config.public_url}/docs/guides/security\nExpires: ${expires}\nPreferred-Languages: en\nCanonical: ${config.public_url}/.well-known/security.txt\n`
}

function apiCatalog({ config }: Context): string {
  const link = (href: string, type: string) => [{ href, type }]
  return JSON.stringify({
    linkset: [
      {
        anchor: `${config.public_url}/v1/`,
        'service-desc': link(docsUrl(config, '/generated/openapi.json'), 'application/openapi+json'),
        'service-doc': link(docsUrl(config, '/'), 'text/html'),
        status: link(`${config.public_url}/readyz`, 'application/json'),
      },
    ],
  })
}

// What is published: true, complete, and every example in it runs.
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { transform } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventKinds, operations, published } from '../src/app.ts'
import type { Operation } from '../src/platform/http/operation.ts'
import { errorCatalogue, validationMeanings } from '../src/platform/protocol/error-catalogue.ts'
import { checkAgainst } from '../src/platform/protocol/validation.ts'
import { exampleId } from '../src/platform/values/fields.ts'
import { needsOf, variableOf } from '../src/reference/shell-examples.ts'
import { prepareRequest } from './fixtures.ts'
import { newKey, newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let portal: TestPortal
beforeAll(async () => {
  server = await startTestServer()
  portal = await newPortal(server)
})
afterAll(async () => {
  await programs.terminate()
  await server.stop()
})

const get = (path: string, accept = '*/*') => server.call('GET', `${server.origin}${path}`, { headers: { accept } })

test.each(operations.map((operation) => [operation.id, operation] as const))(
  'the TypeScript of %s runs as it stands and answers what the page says',
  async (id, operation) => {
    const page = (await get(`/docs/rest-api-reference/operations/${id}.md`)).text
    const code = (/```typescript\n([\s\S]*?)\n```/.exec(page)?.[1] ?? '').replace(
      'console.log(await response.json())',
      'console.log(JSON.stringify(await response.json()))',
    )
    const { named, replacements } = await prepareRequest(operation, portal)
    const ids = [...needsOf(operation)].flatMap(([name, { id_prefix }]) => {
      const value = named[name] ?? (id_prefix && replacements.get(exampleId(id_prefix)))
      return value ? [[variableOf(name), value] as const] : []
    })
    const printed = await runTypeScript(code, {
      PORTICO_URL: server.base.slice(0, -1),
      PORTICO_API_KEY: portal.key,
      ...Object.fromEntries(ids),
    })
    expect(checkAgainst(operation.response)(JSON.parse(printed))).toEqual([])
  },
)

/** Runs a program as a module of its own that knows nothing but its environment, and answers with what it printed. */
async function runTypeScript(program: string, environment: Record<string, string>): Promise<string> {
  const { code } = await transform(program, { loader: 'ts', format: 'esm' })
  programs.postMessage({ code, environment })
  const [{ printed, error }] = await once(programs, 'message')
  if (error !== undefined) throw new Error(error)
  return printed
}

/** A thread for all programs, one after the other: a thread for each would take longer to start than the program to run. */
const programs = new Worker(
  `const { parentPort } = require('node:worker_threads')
  let printed
  console.log = (text) => { printed += text }
  parentPort.on('message', async ({ code, environment }) => {
    printed = ''
    process.env = environment
    const error = await import('data:text/javascript,' + encodeURIComponent(code)).then(() => undefined, String)
    parentPort.postMessage({ printed, error })
  })`,
  { eval: true, env: {}, execArgv: [] },
)

describe('the published documents', () => {
  test('every error code has its page, every page its code', async () => {
    const index = (await get('/docs/errors/index.md')).text
    const listed = [...index.matchAll(/\]\((\w+)\.md\)/g)].map(([, code]) => code)
    expect(listed.sort()).toEqual(Object.keys(errorCatalogue).sort())
    for (const [code, { status }] of Object.entries(errorCatalogue))
      expect((await get(`/docs/errors/${code}.md`)).text).toContain(`\`${code}\`, status ${status}`)
  })

  test('every link leads somewhere, in Markdown and in HTML', async () => {
    const seen = new Set<string>()
    const broken: string[] = []
    const anchors = new Set<string>()
    const linked = new Set<string>()
    const queue = ['/docs/rest-api-reference/index.md', '/docs/rest-api-reference/index', '/docs/', '/llms.txt']
    for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
      if (seen.has(path)) continue
      seen.add(path)
      const answer = await get(path)
      if (answer.status !== 200) {
        broken.push(path)
        continue
      }
      const base = /<base href="([^"]+)"/.exec(answer.text)?.[1] ?? path
      const links = [...answer.text.matchAll(/\]\(([^)\s]+)\)/g), ...answer.text.matchAll(/href="([^"]+)"/g)].map(
        ([, link = '']) => new URL(link, `${server.origin}${base}`),
      )
      for (const { origin, pathname, hash } of links) {
        if (origin !== server.origin) continue
        queue.push(pathname)
        if (hash !== '' && !pathname.endsWith('.md')) linked.add(`${pathname}${decodeURIComponent(hash)}`)
      }
      for (const [, id = ''] of answer.text.matchAll(/<h\d id="([^"]+)"/g)) anchors.add(`${path}#${id}`)
    }
    expect(broken).toEqual([])
    expect(linked.size).toBeGreaterThan(3)
    expect([...linked].filter((link) => !anchors.has(link))).toEqual([])
    expect(seen.size).toBeGreaterThan(2 * (operations.length + eventKinds.length))
  })

  test('the public document holds every operation and event; nothing in it loads from elsewhere', async () => {
    const { body, headers } = await get('/docs/generated/openapi.json')
    const listed = Object.values<Record<string, { operationId?: string }>>(body.paths).flatMap((item) =>
      Object.values(item).flatMap(({ operationId }) => operationId ?? []),
    )
    expect(listed.sort()).toEqual([...operations, ...published.others].map(({ id }) => id).sort())
    expect(Object.keys(body.webhooks)).toEqual(eventKinds.map(({ type }) => type))
    expect(JSON.stringify(body)).not.toContain('nullable')
    expect(body.servers[0].url).toBe(`${server.origin}/v1`)
    expect(
      (
        await server.call('GET', `${server.origin}/docs/generated/openapi.json`, {
          headers: { 'if-none-match': headers.get('etag') },
        })
      ).status,
    ).toBe(304)
    const page = await get('/docs/')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page.text).not.toMatch(/(src|href)="https?:\/\/(?!127\.0\.0\.1)/)
  })

  test('a key sees its own operations and only the components they refer to', async () => {
    const { key } = await newKey(server, portal.id, { grants: ['businesses:read'] })
    const { body } = await server.call('GET', 'openapi.json', { key })
    const methods = Object.entries<object>(body.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    )
    expect(methods.every((method) => method.startsWith('get '))).toBe(true)
    expect(methods).not.toContain('get /events/')
    expect(body.webhooks).toBeUndefined()
    expect(body.tags.map(({ name }: { name: string }) => name)).toEqual(['API root', 'Lead sources', 'Businesses'])
    const text = JSON.stringify(body)
    for (const name of Object.keys(body.components.schemas)) expect(text).toContain(`"#/components/schemas/${name}"`)
    expect(body.components.schemas.BusinessInput).toBeUndefined()
  })

  test('discovery: llms.txt, security.txt and the API catalogue', async () => {
    expect((await get('/llms.txt')).text).toMatch(/^# Portico\n\n> /)
    expect((await get('/.well-known/security.txt')).text).toMatch(/^Contact: .+\nExpires: \d{4}-/)
    const catalog = await get('/.well-known/api-catalog')
    expect(catalog.headers.get('content-type')).toBe('application/linkset+json')
    expect(catalog.body.linkset[0].anchor).toBe(server.base)
  })

  test("pages, guides and llms.txt show the server's own address and limits, not the default ones", async () => {
    const elsewhere = await startTestServer({
      PORTICO_PUBLIC_URL: 'https://portal.example.com',
      PORTICO_RATE_LIMITS: 'on',
      PORTICO_RATE_LIMIT_READ: '77/7',
    })
    try {
      const names = readdirSync(new URL('../../docs/guides/', import.meta.url)).map((name) => `/docs/guides/${name}`)
      const pages = ['index', 'businesses', 'operations/businesses.create', 'operations/transfers.upload']
      for (const path of [...names, ...pages.map((name) => `/docs/rest-api-reference/${name}.md`), '/llms.txt']) {
        const { text } = await elsewhere.call('GET', `${elsewhere.origin}${path}`)
        expect(text, path).not.toContain('127.0.0.1:8080')
        if (/create|upload|first-steps|llms/.test(path)) expect(text, path).toContain('https://portal.example.com')
      }
      const page = await elsewhere.call(
        'GET',
        `${elsewhere.origin}/docs/rest-api-reference/operations/businesses.list.md`,
      )
      expect(page.text).toContain('77 requests per 7 seconds')
    } finally {
      await elsewhere.stop()
    }
  })

  test('validation_failed lists the codes of its details, each with its meaning', async () => {
    const { text } = await get('/docs/errors/validation_failed.md')
    for (const [code, meaning] of Object.entries(validationMeanings))
      expect(text).toContain(`| \`${code}\` | ${meaning} |`)
  })

  test('required fields come first, inner objects are described, lists say their limits and their order', async () => {
    const create = (await get('/docs/rest-api-reference/operations/businesses.create.md')).text
    const marks = [...(create.split('## Body')[1]?.split('`*`')[0] ?? '').matchAll(/^\| `\w+`( \*)? \|/gm)].map(
      ([, star]) => star !== undefined,
    )
    expect(marks.indexOf(false)).toBe(marks.lastIndexOf(true) + 1)
    expect(create).toContain('| `owners` | list of OwnerInput (at most 50 entries) |')
    expect(create).toContain('### OwnerInput')
    const list = (await get('/docs/rest-api-reference/operations/businesses.list.md')).text
    expect(list).toContain('Default page size: 25. Maximum: 100. Default order: `created_at`, descending')
    const read = (await get('/docs/rest-api-reference/operations/client_intake_applications.read.md')).text
    expect(read).toContain('| `submission.number` * |')
  })

  test('the same page as Markdown when the caller asks for it', async () => {
    expect((await get('/docs/errors/not_found', 'text/markdown')).headers.get('content-type')).toBe(
      'text/markdown; charset=utf-8',
    )
    expect((await get('/docs/nothing-here')).body.code).toBe('route_not_found')
    expect((await get('/docs/../package.json')).status).toBe(404)
    expect((await get('/docs/%2e%2e%2fpackage.json')).status).toBe(404)
  })
})

test('every operation names only errors of the catalogue and has a body example exactly when it has a body', () => {
  const incomplete = operations.filter(
    (operation: Operation) => (operation.body === undefined) !== (operation.example === undefined),
  )
  expect(incomplete.map(({ id }) => id)).toEqual([])
})

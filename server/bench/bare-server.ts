// The other side of the comparisons: the same SQL and the same bytes on plain Fastify, with nothing around them.
// Started as: bare-server <settings as JSON>
import { createHash, hash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Readable, Transform, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import fastify from 'fastify'
import { type BareRow, openBarePostgres, openBareSqlite } from './bare-stores.ts'

interface BareSettings {
  port: number
  public_url: string
  portal_id: string
  sqlite_file: string | undefined
  database_url: string | undefined
}

const settings: BareSettings = JSON.parse(process.argv[2] ?? '')
const store =
  settings.database_url === undefined
    ? openBareSqlite(settings.sqlite_file ?? '')
    : openBarePostgres(settings.database_url)
const app = fastify({ routerOptions: { ignoreTrailingSlash: true } })

app.get('/ready', async () => ({ ready: true }))

app.get<{ Params: { id: string } }>('/v1/businesses/:id/', async (request, reply) => {
  const row = await store.find(settings.portal_id, request.params.id)
  return row ? toRecord(row) : reply.code(404).send({ code: 'not_found' })
})

app.get<{ Querystring: { page_size: string } }>('/v1/businesses/', async (request) => {
  const size = Number(request.query.page_size)
  const rows = await store.list(settings.portal_id, size + 1)
  const next_cursor = rows.length > size ? fixedCursor : null
  return { items: rows.slice(0, size).map(toRecord), next_cursor, previous_cursor: null }
})

app.post<{ Body: BareRow }>('/v1/businesses/', async (request, reply) => {
  const row = toRow(request.body)
  await store.insert(row)
  return reply.code(201).send(toRecord(row))
})

// The other side of P8: the bytes and their SHA-256, to a file and back, and nothing around them.
const filesFolder = mkdtempSync(join(tmpdir(), 'portico-bare-files-'))
app.addContentTypeParser('text/csv', (_request, payload, done) => done(null, payload))
app.put<{ Params: { name: string } }>('/files/:name', { bodyLimit: 1e9 }, async (request) => {
  // safe because the parser leaves the body a stream
  const digest = await pipeThroughDigest(
    request.body as Readable,
    createWriteStream(join(filesFolder, request.params.name)),
  )
  return { sha256: digest }
})
app.get<{ Params: { name: string } }>('/files/:name', (request, reply) => {
  reply.hijack()
  return pipeThroughDigest(createReadStream(join(filesFolder, request.params.name)), reply.raw)
})

async function pipeThroughDigest(from: Readable, to: Writable): Promise<string> {
  const digest = createHash('sha256')
  const tap = new Transform({
    transform(chunk, _encoding, done) {
      digest.update(chunk)
      done(null, chunk)
    },
  })
  await pipeline(from, tap, to)
  return digest.digest('hex')
}

// The other side of the bulk write: the same JSON in one row, in one durable transaction.
app.patch<{ Params: { id: string } }>('/v1/answers/:id', async (request) => {
  await store.keepText(request.params.id, JSON.stringify(request.body))
  return { ok: true }
})

process.once('SIGTERM', () => {
  rmSync(filesFolder, { recursive: true, force: true })
  process.exit(0)
})

await app.listen({ host: '127.0.0.1', port: settings.port, backlog: 1024 })

function toRecord(row: BareRow) {
  const url = `${settings.public_url}/v1/businesses/${row.id}/`
  return {
    id: row.id,
    url,
    etag: `"${hash('sha256', `${row.id} ${row.version} ${row.updated_at} 2`, 'base64url').slice(0, 22)}"`,
    created_at: row.created_at,
    updated_at: row.updated_at,
    state: row.state,
    state_changed_at: row.state_changed_at,
    available_actions: row.state === 'active' ? ['update', 'archive'] : ['update', 'restore'],
    legal_name: row.legal_name,
    country: row.country,
    lead_source_id: row.lead_source_id,
    lead_source_detail: row.lead_source_detail,
    trading_name: row.trading_name,
    legal_form: row.legal_form,
    region: row.region,
    registration_number: row.registration_number,
    industry: row.industry_system === null ? null : { system: row.industry_system, code: row.industry_code },
    founded_on: row.founded_on,
    employee_count: row.employee_count,
    website: row.website,
    email: row.email,
    phone: row.phone,
    annual_revenue:
      row.annual_revenue_minor === null
        ? null
        : { amount: (Number(row.annual_revenue_minor) / 100).toFixed(2), currency: row.annual_revenue_currency },
    external_reference: row.external_reference,
    tax_id_last4: row.tax_id_last4,
    owners: row.owners,
    addresses: row.addresses,
    consents: row.consents,
    do_not_contact: row.do_not_contact,
    tags: row.tags,
    metadata: row.metadata,
    possible_duplicates_url: `${url}possible-duplicates/`,
  }
}

/** Every column of the table, from a body that nobody checked. */
function toRow(body: BareRow): BareRow {
  const { industry, annual_revenue, tax_id = null, owners, ...plain } = body
  const now = new Date().toISOString()
  const { system = null, code = null } = asObject(industry)
  const { amount, currency = null } = asObject(annual_revenue)
  return {
    ...{ portal_id: settings.portal_id, id: `biz_${randomUUID()}`, version: 1, state: 'active', state_changed_at: now },
    ...{ lead_source_detail: null, trading_name: null, legal_form: null, region: null, registration_number: null },
    ...{ founded_on: null, employee_count: null, website: null, email: null, phone: null, external_reference: null },
    ...{ addresses: [], consents: [], do_not_contact: false, tags: [], metadata: {} },
    ...plain,
    ...{ industry_system: system, industry_code: code },
    annual_revenue_minor: amount === undefined ? null : Math.round(Number(amount) * 100),
    annual_revenue_currency: currency,
    owners: Array.isArray(owners) ? owners.map((owner) => ({ id: `own_${randomUUID()}`, ...owner })) : [],
    ...{ tax_id_sealed: tax_id, tax_id_hash: tax_id, tax_id_last4: String(tax_id ?? '').slice(-4) },
    ...{ name_sort: String(body.legal_name).toLowerCase(), name_match: String(body.legal_name).toLowerCase() },
    ...{ registration_match: body.registration_number ?? null, created_at: now, updated_at: now },
  }
}

function asObject(value: unknown): BareRow {
  return value !== null && typeof value === 'object' ? { ...value } : {}
}

/** About as long as a sealed cursor is. */
const fixedCursor = 'c'.repeat(175)

// Requests with a wrong method, query, id or header value.
import { nearlyRightParameters, oddHeaderValues, oddParameters, oddTexts, parameterNames } from './odd-values.ts'
import type { RawRequest } from './raw-exchange.ts'
import type { SeededRandom } from './seeded-random.ts'
import { encode, headerText, kept, pathText, precondition, type Truth } from './wellformed-requests.ts'

export function oddMethod(random: SeededRandom, truth: Truth): RawRequest {
  const method = random.pick([
    'TRACE',
    'PROPFIND',
    'SEARCH',
    'LOCK',
    'M-SEARCH',
    'PURGE',
    'DELETE',
    'PUT',
    'HEAD',
    'OPTIONS',
  ])
  const path = random.pick(['/', '/v1/', '/v1/businesses/', '/v1/nothing/', '/healthz', '/docs', '/v1/openapi.json'])
  return kept('method', truth, { method, path })
}

export function oddQuery(random: SeededRandom, truth: Truth): RawRequest {
  const path = random.pick([
    'businesses/',
    'lead-sources/',
    'events/',
    '',
    'openapi.json',
    `businesses/${truth.business_id}/`,
  ])
  const pairs = Array.from({ length: 1 + random.below(3) }, () => {
    const name = random.pick([...parameterNames, ...oddTexts])
    const value = random.below(2) === 0 ? random.pick(oddParameters) : encode(random, random.pick(oddTexts))
    return random.pick([`${name}=${value}`, name, `=${value}`, `${name}=${value}=${value}`, `${name}[]=${value}`])
  })
  const query = `?${pairs.join(random.pick(['&', '&&', ';', '&?']))}`
  return kept('query', truth, { path: `/v1/${path}${pathText(query, '%20')}` })
}

export function nearlyRightQuery(random: SeededRandom, truth: Truth): RawRequest {
  const [path, name, values] = random.pick(nearlyRightParameters)
  return kept('parameter', truth, { path: `/v1/${path}?${name}=${encodeURIComponent(random.pick(values))}` })
}

export function oddCursor(random: SeededRandom, truth: Truth): RawRequest {
  const { cursor } = truth
  const at = random.below(cursor.length)
  const spoiled = random.pick([
    cursor.slice(0, at),
    cursor + cursor,
    `${cursor.slice(0, at)}${random.pick(['A', 'z', '_', '%00', '%ff', '.', '='])}${cursor.slice(at + 1)}`,
    [...cursor].reverse().join(''),
    random.bytes(30).toString('base64url'),
    'a'.repeat(5000),
    '',
    cursor,
  ])
  const path = random.pick([
    'businesses/',
    'lead-sources/',
    'events/',
    `businesses/${truth.business_id}/possible-duplicates/`,
  ])
  const more = random.pick(['', '&page_size=2', '&order=legal_name', '&state=active', `&cursor=${cursor}`])
  return kept('cursor', truth, { path: `/v1/${path}?cursor=${spoiled}${more}` })
}

export function wrongId(random: SeededRandom, truth: Truth): RawRequest {
  const { business_id: id } = truth
  const wrong = random.pick([
    id.toUpperCase(),
    id.replace('biz', 'own'),
    id.slice(0, -1),
    `${id}0`,
    `${id}%00`,
    `${id}%0a`,
    `%20${id}`,
    `${id.slice(0, 4)}${'0'.repeat(26)}`,
    `${id.slice(0, 4)}${'z'.repeat(26)}`,
    '..',
    '%2e%2e%2f',
    '%2f',
    '%',
    '%zz',
    '%c3%28',
    '%ed%a0%80',
    "1'or'1'='1",
    '__proto__',
    'constructor',
    '0',
    '-1',
    'null',
    'a'.repeat(3000),
    pathText(encode(random, random.pick(oddTexts)), '%20') || '%20',
  ])
  const [method, path] = random.pick<[string, string]>([
    ['GET', `businesses/${wrong}/`],
    ['HEAD', `businesses/${wrong}/`],
    ['GET', `businesses/${wrong}/possible-duplicates/`],
    ['GET', `lead-sources/${wrong}/`],
    ['GET', `events/${wrong}/`],
    ['PATCH', `businesses/${wrong}/`],
    ['POST', `businesses/${wrong}/archive/`],
    ['POST', `businesses/${wrong}/${pathText(encode(random, random.pick(oddTexts)), '')}/`],
  ])
  const body = method === 'PATCH' ? '{"employee_count":1}' : undefined
  return kept('id', truth, { method, path: `/v1/${path}`, headers: { ...precondition(random, truth) }, body })
}

export function oddHeaderValue(random: SeededRandom, truth: Truth): RawRequest {
  const name = random.pick([
    'authorization',
    'if-match',
    'if-match',
    'idempotency-key',
    'idempotency-key',
    'if-none-match',
    'accept',
    'range',
    'content-encoding',
    'host',
    'request-id',
    'x-forwarded-for',
    'accept-language',
  ])
  const value = random.pick([
    ...oddHeaderValues,
    headerText(random.pick(oddTexts)),
    headerText(random.bytes(20).toString('latin1')),
  ])
  const [method, path, body] = random.pick<[string, string, string | undefined]>([
    ['GET', `businesses/${truth.business_id}/`, undefined],
    ['PATCH', `businesses/${truth.business_id}/`, '{"employee_count":2}'],
    ['POST', `businesses/${truth.business_id}/archive/`, undefined],
    ['POST', 'businesses/', '{}'],
  ])
  const headers = { ...precondition(random, truth), [name]: value }
  return kept(`header ${name}`, truth, { method, path: `/v1/${path}`, headers, body })
}

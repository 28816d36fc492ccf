// The examples of the reference. The tests run them as they stand, with a real key and real ids in place of the shown ones.
import type { Config } from '../platform/config.ts'
import type { Operation } from '../platform/http/operation.ts'
import { exampleId } from '../platform/values/fields.ts'

export function curlExample(operation: Operation, config: Pick<Config, 'public_url'>): string {
  const lines = [
    `curl --fail-with-body '${exampleUrl(operation, config)}'`,
    `-H "Authorization: Bearer $PORTICO_API_KEY"`,
  ]
  if (operation.method !== 'GET') lines.splice(1, 0, `-X ${operation.method}`)
  for (const [name, value] of exampleHeaders(operation)) lines.push(`-H '${name}: ${value}'`)
  if (operation.example !== undefined)
    lines.push(`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(operation.example)}'`)
  return lines.join(' \\\n  ')
}

export function typescriptExample(operation: Operation, config: Pick<Config, 'public_url'>): string {
  const headers = [
    `    Authorization: \`Bearer \${process.env.PORTICO_API_KEY}\`,`,
    ...exampleHeaders(operation).map(([name, value]) => `    '${name}': '${value}',`),
  ]
  if (operation.example !== undefined) headers.push(`    'Content-Type': 'application/json',`)
  return [
    `const response = await fetch('${exampleUrl(operation, config)}', {`,
    ...(operation.method === 'GET' ? [] : [`  method: '${operation.method}',`]),
    '  headers: {',
    ...headers,
    '  },',
    ...(operation.example === undefined ? [] : [`  body: JSON.stringify(${JSON.stringify(operation.example)}),`]),
    '})',
    'if (!response.ok) throw new Error(await response.text())',
    'console.log(await response.json())',
  ].join('\n')
}

export const exampleEtag = '"qLdHkq5mUr1w3ZbB0VdQ2g"'
export const exampleIdempotencyKey = '5f0c2a9e-7d1b-4c58-9a36-1e2f3a4b5c6d'

function exampleHeaders({ method, ifMatch }: Operation): [string, string][] {
  const headers: [string, string][] = []
  if (method === 'POST') headers.push(['Idempotency-Key', exampleIdempotencyKey])
  if (ifMatch) headers.push(['If-Match', exampleEtag])
  return headers
}

function exampleUrl({ path, params }: Operation, config: Pick<Config, 'public_url'>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const { id_prefix, example = name } = params[name] ?? {}
    return id_prefix ? exampleId(id_prefix) : example
  })
  return `${config.public_url}/v1${filled}`
}

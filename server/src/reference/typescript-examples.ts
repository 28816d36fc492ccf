// The TypeScript examples of the reference: they take their ids from the variables that the page's setup exports.
import type { Operation } from '../platform/http/operation.ts'
import { exampleId } from '../platform/values/fields.ts'
import { needsOf, variableOf } from './shell-examples.ts'

export function typescriptExample(operation: Operation): string {
  const { method, ifMatch, path, params, example, example_query } = operation
  const urlOf = (of: string) =>
    `\`\${api}${of.replace(/\{(\w+)\}/g, (_, name: string) => params[name]?.example ?? `\${process.env.${variableOf(name)}}`)}\``
  const url = `${urlOf(path).slice(0, -1)}${example_query && `?${example_query}`}\``
  const lines = [
    'const api = process.env.PORTICO_URL',
    `const headers = { Authorization: \`Bearer \${process.env.PORTICO_API_KEY}\` }`,
  ]
  if (ifMatch) lines.push(`const current = await fetch(${urlOf(operation.versioned_path)}, { headers })`)
  if (method === 'GET') lines.push(`const response = await fetch(${url}, { headers })`)
  else {
    lines.push(
      `const response = await fetch(${url}, {`,
      `  method: '${method}',`,
      '  headers: {',
      '    ...headers,',
      ...(operation.idempotency === 'required' ? ["    'Idempotency-Key': crypto.randomUUID(),"] : []),
      ...(ifMatch ? ["    'If-Match': current.headers.get('etag') ?? '',"] : []),
      ...(example === undefined ? [] : ["    'Content-Type': 'application/json',"]),
      '  },',
      ...(example === undefined ? [] : [`  body: JSON.stringify(${bodyText(operation)}),`]),
      '})',
    )
  }
  lines.push('if (!response.ok) throw new Error(await response.text())', 'console.log(await response.json())')
  return lines.join('\n')
}

function bodyText(operation: Operation): string {
  let text = JSON.stringify(operation.example, null, 2).replaceAll('\n', '\n  ')
  for (const [name, { id_prefix }] of needsOf(operation))
    if (id_prefix) text = text.replaceAll(`"${exampleId(id_prefix)}"`, `process.env.${variableOf(name)}`)
  return text
}

// Schemas as tables for people: every field with its type, its limits and what it means, those of inner objects too.

import type { TSchema } from 'typebox'
import { counted } from '../platform/values/counted.ts'
import { prefixOfPattern } from '../platform/values/ids.ts'
import { titleOf, viewOf } from './json-schema.ts'

/** The fields of an object, required ones first, and a table for each named schema inside it. */
export function fieldTables(schema: TSchema, mark: 'required' | 'always present'): string {
  const named = new Map<string, TSchema>()
  const main = tableOf(schema, mark, named)
  const inner: string[] = []
  // Tables of named schemas may name further ones: the map grows while it is walked.
  for (const [title, one] of named) inner.push(`\n### ${title}\n`, tableOf(one, mark, named))
  return [main, ...inner, ''].join('\n')
}

function tableOf(schema: TSchema, mark: string, named: Map<string, TSchema>): string {
  const rows = rowsOf(schema, '', named)
  const note = rows.some((row) => row.includes('` * |')) ? [`\n\`*\` ${mark}.`] : []
  return ['| Field | Type | Meaning |\n|---|---|---|', ...rows, ...note].join('\n')
}

function rowsOf(schema: TSchema, prefix: string, named: Map<string, TSchema>): string[] {
  const { properties = {}, required = [] } = viewOf(schema)
  const entries = Object.entries(properties)
  const first = entries.filter(([name]) => required.includes(name))
  const last = entries.filter(([name]) => !required.includes(name))
  return [...first, ...last].flatMap(([name, member]) => {
    const star = required.includes(name) ? ' *' : ''
    const row = `| \`${prefix}${name}\`${star} | ${typeText(member)} | ${descriptionOf(member)} |`
    return [row, ...innerRows(member, `${prefix}${name}`, named)]
  })
}

/** Rows for what a field holds: objects without a name of their own are listed where they are. */
function innerRows(schema: TSchema, path: string, named: Map<string, TSchema>): string[] {
  const { anyOf, items, properties, patternProperties } = viewOf(schema)
  if (anyOf) return anyOf.flatMap((one) => innerRows(one, path, named))
  if (items) return innerRows(items, `${path}[]`, named)
  for (const one of Object.values(patternProperties ?? {})) return innerRows(one, `${path}.*`, named)
  if (!properties) return []
  const title = titleOf(schema)
  if (title === undefined) return rowsOf(schema, `${path}.`, named)
  if (!named.has(title)) named.set(title, schema)
  return []
}

/** Formats in words; the others are named as they are. */
const formatNames: Readonly<Record<string, string>> = {
  uri: 'URL',
  'web-address': 'URL',
  'date-time': 'time',
  'time-zone': 'time zone',
  country: 'country code',
  region: 'region code',
  currency: 'currency code',
  email: 'e-mail address',
  'idn-email': 'e-mail address',
  iri: 'URL',
  line: 'text',
  lines: 'text of several lines',
  phone: 'phone number',
}

export function typeText(schema: TSchema): string {
  const view = viewOf(schema)
  const { anyOf, enum: choices, const: constant, type, items, title, format, pattern, patternProperties } = view
  if (anyOf) return anyOf.map(typeText).join(' or ')
  if (choices) return choices.map((value) => `\`${value}\``).join(', ')
  if (constant !== undefined) return `\`${constant}\``
  const limits = limitsOf(view)
  const name = () => {
    if (type === 'array' && items) return `list of ${typeText(items)}`
    if (title) return title
    if (patternProperties) return 'object'
    const prefix = pattern === undefined ? undefined : prefixOfPattern(pattern)
    if (prefix) return `id, \`${prefix}_…\``
    return format === undefined ? (type ?? 'any') : (formatNames[format] ?? format)
  }
  return [name(), limits && `(${limits})`].filter(Boolean).join(' ')
}

function limitsOf(view: ReturnType<typeof viewOf>): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, maxProperties } = view
  return [
    range(minimum, maximum, ''),
    range(minLength === 1 ? undefined : minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' entries'),
    maxProperties !== undefined && `at most ${counted(maxProperties, 'entry', 'entries')}`,
  ]
    .filter(Boolean)
    .join(', ')
}

function range(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`
  if (least !== undefined) return `at least ${least}${unit}`
  return most === undefined ? undefined : `at most ${most}${unit}`
}

export function descriptionOf(schema: TSchema): string {
  const { description, anyOf } = viewOf(schema)
  return description ?? (anyOf?.[0] ? (viewOf(anyOf[0]).description ?? '') : '')
}

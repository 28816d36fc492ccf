// The curl examples of the reference. Each page sets up what its example needs, so that it runs as it is copied: in
// bash and zsh, on Linux and macOS, without comments (zsh does not know them at its prompt) and without GNU options.
import type { Config } from '../platform/config.ts'
import type { Operation, OtherOperation } from '../platform/http/operation.ts'
import type { ExampleSource, PathParameter } from '../platform/http/path-parameter.ts'
import { exampleId } from '../platform/values/fields.ts'
import type { Published } from './openapi.ts'

interface ShellExample {
  /** Finds or makes what the example needs, and exports it as variables. */
  setup: string
  /** The names of those variables. */
  variables: readonly string[]
  command: string
}

type AnyOperation = Operation | OtherOperation
/** By parameter, the lines that provide it; ids are shown to the reader. */
type Known = Map<string, { lines: string[]; is_id: boolean }>

export function shellExample(
  operation: AnyOperation,
  published: Published,
  config: Pick<Config, 'public_url'>,
): ShellExample {
  const known: Known = new Map()
  addNeeds(operation, published, config, known)
  const variables = [...known].filter(([, { is_id }]) => is_id).map(([name]) => variableOf(name))
  const setup = [
    `export PORTICO_URL="${config.public_url}/v1"`,
    ...[...known.values()].flatMap(({ lines }) => lines),
    ...(variables.length > 0 ? [`echo "${variables.map((name) => `${name}=$${name}`).join(' ')}"`] : []),
  ].join('\n')
  return { setup, variables, command: commandOf(operation, config).join('\n') }
}

/** `business_id` is in `$BUSINESS_ID`. */
export function variableOf(name: string): string {
  return name.toUpperCase()
}

/** What an operation needs, by parameter: those of its path first. */
export function needsOf({ path, params, example_needs }: AnyOperation): Map<string, ExampleSource> {
  const needs = new Map<string, ExampleSource>()
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    const parameter = params[name]
    const override = example_needs[name]
    const { id_prefix } = parameter ?? {}
    const source = override ? { ...(id_prefix && { id_prefix }), ...override } : parameter
    if (source && (source.found_in !== undefined || source.made_by !== undefined)) needs.set(name, source)
  }
  for (const [name, source] of Object.entries(example_needs)) if (!needs.has(name)) needs.set(name, source)
  return needs
}

/** Fills in the lines that provide each need, those that a need itself needs before it. */
function addNeeds(
  operation: AnyOperation,
  published: Published,
  config: Pick<Config, 'public_url'>,
  known: Known,
): void {
  for (const [name, source] of needsOf(operation)) {
    if (known.has(name)) continue
    const { found_in, made_by, wait } = source
    const is_id = source.id_prefix !== undefined
    if (made_by !== undefined) {
      const maker = [...published.operations, ...published.others].find(({ id }) => id === made_by)
      if (!maker) throw new Error(`${operation.id} needs ${name} from ${made_by}, which is no operation`)
      addNeeds(maker, published, config, known)
      known.set(name, { lines: makingLines(name, source, maker, config), is_id })
    } else if (found_in !== undefined) {
      const from = `"$PORTICO_URL${inShell(found_in, operation.params)}${found_in.includes('?') ? '&' : '?'}page_size=1"`
      const line = `export ${variableOf(name)}=$(curl -s ${from} ${authorization} | ${firstOf(source)})`
      known.set(name, { lines: [line], is_id })
    }
    if (wait) {
      const states = `'"state":"(${wait.states.join('|')})"'`
      const url = `"$PORTICO_URL${inShell(wait.path, operation.params)}"`
      known
        .get(name)
        ?.lines.push(
          `for attempt in 1 2 3 4 5 6 7 8 9 10; do curl -s ${url} ${authorization} | grep -Eq ${states} && break; sleep 1; done`,
        )
    }
  }
}

function makingLines(
  name: string,
  source: ExampleSource,
  maker: AnyOperation,
  config: Pick<Config, 'public_url'>,
): string[] {
  const sent = 'example' in maker && source.body !== undefined ? { ...maker, example: source.body } : maker
  const lines = commandOf(sent, config, true)
  // The request is the last command; where its body is a here document, the rest follows on its first lines.
  const start = lines.findIndex((line) => line.startsWith('curl '))
  const request = lines.slice(start)
  const end = request.findIndex((line) => line.endsWith('<<EOF'))
  const last = end === -1 ? request.length - 1 : end
  const isValue = source.id_prefix !== undefined || source.form !== undefined
  request[last] += isValue ? ` | ${firstOf(source)}` : ' > /dev/null'
  if (!isValue) return [...lines.slice(0, start), ...request]
  request[0] = `export ${variableOf(name)}=$(${request[0]}`
  // A here document ends with its own line: what closes the substitution stands on the next.
  if (end === -1) request[last] += ')'
  else request.push(')')
  return [...lines.slice(0, start), ...request]
}

function commandOf(operation: AnyOperation, config: Pick<Config, 'public_url'>, isQuiet = false): string[] {
  if ('shell' in operation) {
    const [first = '', ...rest] = operation.shell
    const url = `"${config.public_url}${inShell(operation.path, operation.params)}"`
    return [
      ...operation.shell_before,
      ...joined([`curl${isQuiet ? ' -s' : ''} ${first}${first && ' '}${url}`, ...rest]),
    ]
  }
  const { method, ifMatch, idempotency, path, params, example, example_query } = operation
  const url = `"$PORTICO_URL${inShell(path, params)}${example_query && `?${example_query}`}"`
  const verb = method === 'GET' ? '' : ` -X ${method}`
  const parts = [`curl${isQuiet ? ' -s' : ''}${verb} ${url}`, authorization]
  if (idempotency === 'required') parts.push(`-H "Idempotency-Key: $(openssl rand -hex 16)"`)
  if (ifMatch) parts.push(`-H "If-Match: $ETAG"`)
  const lines = ifMatch ? [etagLine(operation)] : []
  if (example === undefined) return [...lines, ...joined(parts)]
  const body = bodyText(example, operation)
  parts.push(`-H "Content-Type: application/json"`)
  if (!body.includes('$')) return [...lines, ...joined([...parts, `-d '${body.replaceAll("'", `'\\''`)}'`])]
  return [...lines, ...joined([...parts, '-d @- <<EOF']), ...body.split('\n'), 'EOF']
}

function etagLine({ versioned_path, params }: Operation): string {
  const url = `"$PORTICO_URL${inShell(versioned_path, params)}"`
  return `ETAG=$(curl -sI ${url} ${authorization} | grep -i '^etag:' | cut -d ' ' -f 2 | tr -d '\\r')`
}

function bodyText(example: unknown, operation: Operation): string {
  const short = JSON.stringify(example)
  let text = short.length <= 80 ? short : JSON.stringify(example, null, 2)
  for (const [name, { id_prefix }] of needsOf(operation))
    if (id_prefix) text = text.replaceAll(exampleId(id_prefix), `$${variableOf(name)}`)
  return text
}

/** A path with variables in place of ids, and with the example itself where it is not an id. */
function inShell(path: string, params: Readonly<Record<string, PathParameter>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => params[name]?.example ?? `$${variableOf(name)}`)
}

function firstOf({ id_prefix, form }: ExampleSource): string {
  return `grep -o '${form ?? `${id_prefix}_[0-9a-z]*`}' | head -n 1`
}

function joined(parts: readonly string[]): string[] {
  return parts.map((part, index) => `${index === 0 ? '' : '  '}${part}${index < parts.length - 1 ? ' \\' : ''}`)
}

const authorization = `-H "Authorization: Bearer $PORTICO_API_KEY"`

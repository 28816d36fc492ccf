// Answers that an application still needs, made up from the types of its questions, for events that follow a submission.
import { hash } from 'node:crypto'
import type { Call } from './api-client.ts'
import { CommandError } from './output.ts'

type Made = Record<string, unknown>

interface Question {
  key: string
  type: string
  validation?: {
    min?: number | string
    max?: number | string
    min_length?: number
    min_date?: string
    max_date?: string
  }
  options?: readonly { value: string }[]
  option_set?: string
  questions?: readonly Question[]
}

interface Contract {
  questions: readonly Question[]
  option_sets?: Readonly<Record<string, readonly { value: string }[]>>
}

interface Problem {
  question_key: string
  group_key: string | null
  item_id: string | null
  message: string
}

/** Answers can make others necessary; a contract that never has enough is not for this. */
const mostRounds = 10

/** Answers what an application needs before it can be submitted. Returns the application. */
export async function answerAll(call: Call, path: string): Promise<Made> {
  const { contract_url } = await call('GET', path)
  // safe because the API shows contracts in this form
  const contract = (await call('GET', pathOf(contract_url))) as unknown as Contract
  let left: Problem[] = []
  for (let round = 0; round < mostRounds; round++) {
    const { problems } = await call('GET', `${path}validation/`)
    // safe because the API lists problems in this form
    left = (problems ?? []) as Problem[]
    if (left.length === 0) return call('GET', path)
    await answerSome(call, path, contract, left)
  }
  throw new CommandError(
    `The contract of the application needs answers that this command cannot make up: ${left[0]?.message ?? ''} Use the API for this event.`,
  )
}

/** Below the address of the API. */
function pathOf(url: unknown): string {
  return String(url).replace(/^.*?\/v1\//, '')
}

async function answerSome(call: Call, path: string, contract: Contract, problems: readonly Problem[]): Promise<void> {
  const find = (questions: readonly Question[] | undefined, key: string) => questions?.find((one) => one.key === key)
  const write = async (method: string, rest: string, body: unknown) =>
    call(method, `${path}${rest}`, body, String((await call('GET', path)).etag))
  const answers: { question_key: string; value: unknown }[] = []
  for (const { question_key, group_key, item_id } of problems) {
    const group = find(contract.questions, group_key ?? '')
    const question = find(group && item_id !== null ? group.questions : contract.questions, question_key)
    if (!question) continue
    if (question.type === 'file') {
      await uploadFile(call, path, { question_key, ...(item_id !== null && { item_id }) })
    } else if (group && item_id === null) {
      await write('POST', `answers/${group.key}/items/`, { values: {} })
    } else if (group) {
      const values = { [question_key]: valueFor(question, contract) }
      await write('PATCH', `answers/${group.key}/items/${item_id}/`, { values })
    } else {
      answers.push({ question_key, value: valueFor(question, contract) })
    }
  }
  if (answers.length > 0) await write('PATCH', 'answers/', { answers })
}

/** Uploads a file for the first question that takes one, or for the one that is named. */
export async function uploadFile(
  call: Call,
  path: string,
  {
    question_key,
    item_id,
    content = 'readable',
  }: { question_key?: string; item_id?: string; content?: keyof typeof contents } = {},
): Promise<Made> {
  const { contract_url, etag } = await call('GET', path)
  const { questions } = (await call('GET', pathOf(contract_url))) as unknown as Contract // safe because contracts have this form
  const key = question_key ?? questions.find(({ type }) => type === 'file')?.key
  if (key === undefined)
    throw new CommandError('The contract of the Portal asks for no file. Use the API for this event.')
  const bytes = Buffer.from(contents[content])
  const declared = {
    question_key: key,
    ...(item_id !== undefined && { item_id }),
    filename: 'test.pdf',
    content_type: 'application/pdf',
    size_bytes: bytes.length,
    sha256: hash('sha256', bytes, 'hex'),
  }
  const file = await call('POST', `${path}files/`, declared, String(etag))
  // safe because the API shows uploads in this form
  const { url, method, headers } = file.upload as { url: string; method: string; headers: Record<string, string> }
  const response = await fetch(url, {
    method,
    headers,
    body: new Uint8Array(bytes),
    signal: AbortSignal.timeout(30_000),
  })
  await response.arrayBuffer()
  if (!response.ok && content !== 'no_pdf')
    throw new CommandError(`The upload of a test file failed with status ${response.status}.`)
  return file
}

/** What is said to be a PDF. */
const contents = {
  readable:
    '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
  /** It begins like one, and nobody can read it. */
  broken: '%PDF-1.4\nThis is a test.',
  no_pdf: 'This is no PDF.',
}

function valueFor(
  { type, validation = {}, options, option_set = '' }: Question,
  { option_sets = {} }: Contract,
): unknown {
  const [option] = options ?? option_sets[option_set] ?? []
  const number = Math.min(Number(validation.max ?? 1_000_000), Math.max(Number(validation.min ?? 0), 20))
  switch (type) {
    case 'money':
      return {
        amount: Math.min(Number(validation.max ?? 1e12), Math.max(Number(validation.min ?? 0), 25_000)).toFixed(2),
        currency: 'USD',
      }
    case 'integer':
    case 'decimal':
    case 'percent':
      return number
    case 'boolean':
      return false
    case 'declaration':
      return true
    case 'single_choice':
      return option?.value
    case 'multi_choice':
      return [option?.value]
    case 'date':
      return dayWithin(validation)
    case 'year_month':
      return dayWithin(validation).slice(0, 7)
    default:
      return known[type] ?? 'Test'.padEnd(validation.min_length ?? 0, ' test')
  }
}

const known: Readonly<Record<string, unknown>> = {
  email: 'test@example.com',
  phone: '+12025550123',
  url: 'https://www.example.com/',
  country: 'US',
  region: 'US-CA',
  identifier: '10-3456789',
  industry: { system: 'naics_2022', code: '722515' },
  address: { line1: '1 Test Street', city: 'Oakland', region: 'US-CA', postal_code: '94607', country: 'US' },
}

/** Far enough in the past or the future for bounds that are relative to today. */
function dayWithin({ min_date, max_date }: NonNullable<Question['validation']>): string {
  const years = max_date !== undefined || min_date === undefined ? -5 : 0
  const day = new Date()
  day.setUTCFullYear(day.getUTCFullYear() + years, day.getUTCMonth(), day.getUTCDate() + (years === 0 ? 30 : 0))
  return day.toISOString().slice(0, 10)
}

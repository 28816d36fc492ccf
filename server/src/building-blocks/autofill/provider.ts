// An HTTPS endpoint of the Portal's own that knows things about businesses, such as a credit bureau behind an adapter.
// We POST what the questionnaire asks for, with the provider's secret; it answers `{facts: [{fact, value, …}]}`.
// It is reached like everything a Portal configures: only at public addresses, without redirects, in bounded time.
import { type Static, Type } from 'typebox'
import type { Context } from '../../platform/context.ts'
import type { Connection } from '../../platform/database/database.ts'
import { OutboundError } from '../../platform/outbound/outbound-error.ts'
import { checkAgainst } from '../../platform/protocol/validation.ts'
import type { Questionnaire } from '../questionnaires/questionnaire.ts'
import { type Fact, type Gathered, type SourceProblem, sourcesOf } from './facts.ts'
import { findProvider } from './provider-setting.ts'

const timeoutMs = 10_000
const maximumResponseBytes = 1024 * 1024
const defaultConfidence = 0.7
/** A provider never has a higher confidence than the business record. */
const highestConfidence = 0.95

const notSetUp =
  'This Portal has no Autofill provider. Ask its administrator to set one with: portico autofill-provider set --portal ID --url URL'

const ProviderAnswer = Type.Object({
  facts: Type.Array(
    Type.Object({
      fact: Type.String({ maxLength: 100 }),
      value: Type.Unknown(),
      confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
      reference: Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Null()])),
      row: Type.Optional(Type.Integer({ minimum: 0, maximum: 99 })),
    }),
    { maxItems: 500 },
  ),
})
const checkAnswer = checkAgainst(ProviderAnswer)

/** The facts of the provider. A failure is reported and does not stop the other sources. */
export async function factsOfProvider(
  db: Connection,
  context: Context,
  portalId: string,
  run: { id: string; questionnaire: Questionnaire; businessFacts: readonly Fact[] },
  signal: AbortSignal,
): Promise<Gathered> {
  const failed = (code: string, message: string): Gathered => {
    const problem: SourceProblem = { source: 'provider', reference: null, code, message }
    return { facts: [], problems: [problem] }
  }
  const provider = await findProvider(db, context, portalId)
  if (!provider) return failed('not_set_up', notSetUp)
  const wanted = wantedOf(run.questionnaire)
  // Without a question for the provider, no data is sent to it.
  if (wanted.length === 0) return { facts: [], problems: [] }
  if (provider === 'unreadable') {
    context.log.error(
      { portal_id: portalId },
      'the Autofill provider of a Portal cannot be decrypted: was PORTICO_SECRET_KEY changed?',
    )
    return failed(
      'not_set_up',
      'The provider settings cannot be read. Ask the administrator to set the provider again.',
    )
  }
  // Not loaded before it is needed: few Portals have a provider.
  const { createOutbound } = await import('../../platform/outbound/calls.ts')
  const outbound = createOutbound({ allowPrivate: context.config.allow_private_addresses })
  const begun = performance.now()
  try {
    const response = await outbound.send({
      method: 'POST',
      url: new URL(provider.url),
      headers: {
        authorization: `Bearer ${provider.secret}`,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body: JSON.stringify(requestBody(run, wanted)),
      timeout_ms: timeoutMs,
      maximum_response_bytes: maximumResponseBytes,
      signal,
    })
    if (response.status !== 200)
      return failed('refused', `The provider responded with status ${response.status}; expected 200.`)
    if (response.is_truncated) return failed('too_large', 'The response of the provider must not be larger than 1 MiB.')
    const answer = parse(response.body)
    const problems = checkAnswer(answer)
    if (problems.length > 0)
      return failed(
        'malformed',
        `The response of the provider is not valid: ${problems[0]?.pointer} ${problems[0]?.message}`,
      )
    // safe because it has just passed the schema
    return { facts: (answer as Static<typeof ProviderAnswer>).facts.map(toFact), problems: [] }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return failed(error.code, error.message)
  } finally {
    context.trace?.note(3, 'autofill provider', performance.now() - begun, {})
    await outbound.close()
  }
}

interface Wanted {
  fact: string | undefined
  question_key: string
  group_key: string | null
  type: string
}

/** The facts that questions of this application may be filled with from a provider. */
function wantedOf({ contract }: Questionnaire): Wanted[] {
  const asked = new Set(['provider'])
  return contract.model.contract.questions.flatMap<Wanted>((question) =>
    question.type === 'group'
      ? (question.questions ?? [])
          .filter((inner) => inner.maps_to && sourcesOf(inner, question, asked).size > 0)
          .map(({ key, maps_to, type }) => ({ fact: maps_to, question_key: key, group_key: question.key, type }))
      : question.maps_to && sourcesOf(question, undefined, asked).size > 0
        ? [{ fact: question.maps_to, question_key: question.key, group_key: null, type: question.type }]
        : [],
  )
}

function requestBody({ id, questionnaire, businessFacts }: Parameters<typeof factsOfProvider>[3], wanted: Wanted[]) {
  const business = Object.fromEntries(
    businessFacts
      .map(({ fact, value }) => [fact.replace(/^business\./, ''), value] as const)
      .filter(([name]) => identifying.has(name)),
  )
  return { version: 1, run_id: id, application_id: questionnaire.application.id, business, wanted }
}

/** What a business is found by elsewhere; nothing else of its record leaves the Portal. */
const identifying = new Set(['legal_name', 'trading_name', 'country', 'region', 'registration_number', 'website'])

function toFact({ fact, value, confidence, reference, row }: Static<typeof ProviderAnswer>['facts'][number]): Fact {
  return {
    fact,
    value,
    source: 'provider',
    reference: reference ?? null,
    confidence: Math.min(highestConfidence, confidence ?? defaultConfidence),
    ...(row !== undefined && { row }),
  }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined // not JSON: the check says what is expected
  }
}

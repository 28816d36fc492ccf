import { type Static, Type } from 'typebox'
import { counted } from '../values/counted.ts'
import { catalogueEntry, type ErrorCode, errorCatalogue, type ValidationCode } from './error-catalogue.ts'

export const ErrorDetail = Type.Object(
  {
    location: Type.Enum(['body', 'query', 'path', 'header', 'file', 'state'], {
      description: 'The part of the request with the problem.',
    }),
    pointer: Type.Optional(Type.String({ description: 'JSON Pointer into the body.', examples: ['/legal_name'] })),
    name: Type.Optional(Type.String({ description: 'Name of the parameter or header.', examples: ['page_size'] })),
    code: Type.String({ description: 'What is wrong, as a stable code for programs.', examples: ['required'] }),
    message: Type.String({
      description: 'A message for people. The text may change.',
      examples: ['legal_name is required.'],
    }),
    meta: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'More values for programs, such as limits and allowed values.',
      }),
    ),
  },
  { title: 'ErrorDetail' },
)
export type ErrorDetail = Static<typeof ErrorDetail>

export const ErrorBody = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'Address of the page about this code.' }),
    title: Type.String({ description: 'The name of the error, the same for every error with this code.' }),
    status: Type.Integer({ description: 'The HTTP status.' }),
    code: Type.String({ description: 'The error code. It is stable: use it in your program.' }),
    message: Type.String({ description: 'A message for people. The text may change.' }),
    details: Type.Array(ErrorDetail, {
      description: 'The problems of the request. Empty when the message says everything.',
    }),
    request_id: Type.String({ description: 'The id of the request. Quote it when you contact support.' }),
    retryable: Type.Boolean({ description: 'Whether the same request may succeed later.' }),
    docs_url: Type.String({ format: 'uri', description: 'The same address as `type`.' }),
  },
  { title: 'Error' },
)
export type ErrorBody = Static<typeof ErrorBody>

/** An answer from the catalogue. Anything else that is thrown becomes a 500 that says nothing of itself. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly details: readonly ErrorDetail[]
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: ErrorCode,
    options: {
      message?: string
      details?: readonly ErrorDetail[]
      headers?: Record<string, string>
      cause?: unknown
    } = {},
  ) {
    super(options.message ?? catalogueEntry(code).message, { cause: options.cause })
    this.code = code
    this.details = options.details ?? []
    this.headers = options.headers ?? {}
  }

  get status(): number {
    return errorCatalogue[this.code].status
  }
}

/** Whether this is our own refusal with this code. */
export function isApiError(error: unknown, code: ErrorCode): error is ApiError {
  return error instanceof ApiError && error.code === code
}

/** States that `is` does not go with. */
const stateWords = new Map([
  ['draft', 'is a draft'],
  ['failed', 'has failed'],
  ['information_requested', 'waits for information'],
  ['offered', 'has an open offer'],
  ['pending_verification', 'waits for its verification'],
])

/** An action that the record's state does not allow. */
export function stateConflict(
  noun: string,
  action: string,
  { state, available_actions }: { state: string; available_actions: readonly string[] },
  /** What is in the way, when it is not the state alone. */
  why?: string,
): ApiError {
  const allowed =
    available_actions.length > 0
      ? `Allowed actions: ${available_actions.join(', ')}.`
      : 'No action is allowed in this state.'
  const words = (name: string) => name.replaceAll('_', ' ')
  return new ApiError('state_conflict', {
    message: `Cannot ${words(action)}: ${why ?? `the ${noun} ${stateWords.get(state) ?? `is ${words(state)}`}.`}`,
    details: [
      {
        location: 'state',
        name: 'state',
        code: 'state_conflict',
        message: allowed,
        meta: { state, available_actions },
      },
    ],
  })
}

/** A limit on the number of records: which one, and how to make room. */
export function limitReached(
  message: string,
  { name, advice, meta }: { name: string; advice: string; meta: Record<string, unknown> },
): ApiError {
  return new ApiError('limit_reached', {
    message,
    details: [{ location: 'state', name, code: 'limit_reached', message: advice, meta }],
  })
}

/** An external reference that another record of the Portal has. */
export function referenceTaken(noun: string, existing_url: string): ApiError {
  return new ApiError('already_exists', {
    message: `Another ${noun} has this external_reference.`,
    details: [
      {
        location: 'body',
        pointer: '/external_reference',
        code: 'already_exists',
        message:
          'external_reference must be unique among the records of this type in the Portal. meta.existing_url is the URL of the existing record.',
        meta: { existing_url },
      },
    ],
  })
}

export const maximumDetails = 50

export function validationFailed(details: readonly ErrorDetail[]): ApiError {
  const shown = details.slice(0, maximumDetails)
  const rest = details.length > shown.length ? ` The first ${shown.length} are listed.` : ''
  const message = `The request has ${counted(details.length, 'problem')}.${rest}`
  return new ApiError('validation_failed', { message, details: shown })
}

export function bodyDetail(
  pointer: string,
  code: ValidationCode,
  message: string,
  meta?: Record<string, unknown>,
): ErrorDetail {
  // A caller's own field name may be a megabyte long.
  return { location: 'body', pointer: pointer.slice(0, 300), code, message, ...(meta && { meta }) }
}

/** The body of an error, built by hand in this order so that equal errors have equal bytes. */
export function errorBody(error: ApiError, requestId: string, docsUrl: string): ErrorBody {
  const { status, title, retryable } = catalogueEntry(error.code)
  const page = `${docsUrl}/errors/${error.code}`
  return {
    type: page,
    title,
    status,
    code: error.code,
    message: error.message,
    details: [...error.details],
    request_id: requestId,
    retryable: retryable ?? false,
    docs_url: page,
  }
}

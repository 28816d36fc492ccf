// Every error code of the interface with its status and text. The code is the contract; the text may improve.
interface CatalogueEntry {
  status: number
  title: string
  message: string
  retryable?: true
}

export const errorCatalogue = {
  malformed_json: { status: 400, title: 'Malformed JSON', message: 'The body is not valid JSON.' },
  invalid_request: { status: 400, title: 'Invalid request', message: 'The request could not be understood.' },
  unsupported_query_parameter: {
    status: 400,
    title: 'Unsupported query parameter',
    message: 'The request has a query parameter this operation does not know.',
  },
  repeated_query_parameter: {
    status: 400,
    title: 'Repeated query parameter',
    message: 'A query parameter was sent more than once.',
  },
  invalid_query_parameter: {
    status: 400,
    title: 'Invalid query parameter',
    message: 'A query parameter has a value this operation cannot use.',
  },
  invalid_cursor: {
    status: 400,
    title: 'Invalid cursor',
    message: 'This cursor was not issued for this collection. Start again without a cursor.',
  },
  cursor_mismatch: {
    status: 400,
    title: 'Cursor mismatch',
    message:
      'The request differs from the one the cursor was issued for. Keep filters, order and page_size unchanged, or start again without a cursor.',
  },
  cursor_expired: {
    status: 400,
    title: 'Cursor expired',
    message: 'This cursor is older than 72 hours. Start again without a cursor.',
  },
  idempotency_key_required: {
    status: 400,
    title: 'Idempotency-Key required',
    message: 'Send an Idempotency-Key header: a new value, such as a UUID, for each new command.',
  },
  invalid_idempotency_key: {
    status: 400,
    title: 'Invalid Idempotency-Key',
    message: 'An Idempotency-Key has 16 to 255 characters of A-Z a-z 0-9 . _ : -, optionally in double quotes.',
  },
  invalid_if_match: {
    status: 400,
    title: 'Invalid If-Match',
    message: 'Send the ETag of the record you read in If-Match, quotes included.',
  },

  authentication_required: {
    status: 401,
    title: 'Authentication required',
    message: 'Send a Portal API key: Authorization: Bearer <API_KEY>.',
  },
  invalid_api_key: { status: 401, title: 'Invalid API key', message: 'This is not a key of this Portal service.' },
  api_key_expired: {
    status: 401,
    title: 'API key expired',
    message: 'This key has expired. Ask the Portal administrator for a new one.',
  },
  api_key_revoked: {
    status: 401,
    title: 'API key revoked',
    message: 'This key was revoked. Ask the Portal administrator for a new one.',
  },
  transfer_credential_invalid: {
    status: 401,
    title: 'Invalid transfer credential',
    message: 'This is not a credential for this file transfer.',
  },
  transfer_credential_expired: {
    status: 401,
    title: 'Transfer credential expired',
    message: 'This transfer credential has expired. Ask for a fresh one.',
  },

  resource_not_granted: {
    status: 403,
    title: 'Resource not granted',
    message: 'This key has no access to this resource.',
  },
  action_not_granted: {
    status: 403,
    title: 'Action not granted',
    message: 'This key may not do this with this resource.',
  },
  portal_suspended: {
    status: 403,
    title: 'Portal suspended',
    message: 'This Portal is suspended. Ask whoever runs the service.',
  },

  not_found: { status: 404, title: 'Not found', message: 'There is no such record in this Portal.' },
  route_not_found: { status: 404, title: 'Route not found', message: 'There is no operation at this address.' },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    message: 'This address does not take this method. The Allow header names those it takes.',
  },
  not_acceptable: {
    status: 406,
    title: 'Not acceptable',
    message: 'This operation answers application/json, which the Accept header excludes.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    message: 'The request took too long to arrive.',
    retryable: true,
  },

  idempotency_key_in_use: {
    status: 409,
    title: 'Idempotency-Key in use',
    message: 'A request with this Idempotency-Key is still running. Retry with the same key.',
    retryable: true,
  },
  state_conflict: {
    status: 409,
    title: 'State conflict',
    message: 'The record is in a state that does not allow this.',
  },
  already_exists: { status: 409, title: 'Already exists', message: 'A record with this value exists already.' },
  operation_in_progress: {
    status: 409,
    title: 'Operation in progress',
    message: 'The same operation is already running for this record.',
    retryable: true,
  },
  already_with_recipient: {
    status: 409,
    title: 'Already with recipient',
    message: 'An open application of this business is already with this recipient.',
  },
  webhook_not_active: { status: 409, title: 'Webhook not active', message: 'This webhook is not active.' },
  upload_already_completed: {
    status: 409,
    title: 'Upload already completed',
    message: 'This file was uploaded already.',
  },
  upload_not_completed: { status: 409, title: 'Upload not completed', message: 'This file has not been uploaded yet.' },
  limit_reached: { status: 409, title: 'Limit reached', message: 'There may be no more of these.' },

  gone: { status: 410, title: 'Gone', message: 'This record is no longer available.' },
  event_expired: { status: 410, title: 'Event expired', message: 'Events are kept for 30 days; this one is older.' },
  version_retired: { status: 410, title: 'Version retired', message: 'This version of the API is no longer served.' },

  length_required: { status: 411, title: 'Length required', message: 'Send a Content-Length.' },
  precondition_failed: {
    status: 412,
    title: 'Precondition failed',
    message:
      'The record changed since it was read. Read it again, reconcile, then retry with its new ETag and a new Idempotency-Key.',
  },
  payload_too_large: {
    status: 413,
    title: 'Payload too large',
    message: 'The body is larger than this operation takes.',
  },
  file_too_large: { status: 413, title: 'File too large', message: 'The file is larger than allowed.' },
  uri_too_long: { status: 414, title: 'URI too long', message: 'The address is longer than 8 KiB.' },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    message: 'Send the body as Content-Type: application/json, uncompressed.',
  },
  unsupported_file_type: {
    status: 415,
    title: 'Unsupported file type',
    message: 'Files of this type are not taken here.',
  },
  range_not_satisfiable: { status: 416, title: 'Range not satisfiable', message: 'The file has no such range.' },

  validation_failed: {
    status: 422,
    title: 'Validation failed',
    message: 'The body needs attention; the details say where.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency-Key reused',
    message: 'This Idempotency-Key was used for a different request. Use a new key for each new command.',
  },
  application_incomplete: { status: 422, title: 'Application incomplete', message: 'The application is not complete.' },
  criteria_incomplete: { status: 422, title: 'Criteria incomplete', message: 'The criteria are not complete.' },
  recipient_not_eligible: { status: 422, title: 'Recipient not eligible', message: 'This recipient cannot take this.' },
  lead_source_inactive: {
    status: 422,
    title: 'Lead source inactive',
    message: 'This lead source is no longer in use. Choose an active one.',
  },
  checksum_mismatch: {
    status: 422,
    title: 'Checksum mismatch',
    message: 'The bytes received are not the bytes that were declared.',
  },
  file_rejected: { status: 422, title: 'File rejected', message: 'The file was rejected.' },
  webhook_url_not_allowed: {
    status: 422,
    title: 'Webhook URL not allowed',
    message: 'Webhooks may not be sent to this address.',
  },
  webhook_verification_failed: {
    status: 422,
    title: 'Webhook verification failed',
    message: 'The endpoint did not answer the challenge.',
  },

  precondition_required: {
    status: 428,
    title: 'Precondition required',
    message: 'Read the record and send its ETag in If-Match, quotes included.',
  },
  rate_limited: {
    status: 429,
    title: 'Rate limited',
    message: 'Too many requests. Wait for the time in Retry-After.',
    retryable: true,
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    message: 'The request headers are larger than 16 KiB.',
  },

  internal_error: {
    status: 500,
    title: 'Internal error',
    message:
      'Something went wrong on our side. Retry with the same Idempotency-Key; quote the request_id when you ask for help.',
    retryable: true,
  },
  upstream_error: {
    status: 502,
    title: 'Upstream error',
    message: 'A service this operation depends on failed.',
    retryable: true,
  },
  service_unavailable: {
    status: 503,
    title: 'Service unavailable',
    message: 'The service cannot answer right now. Retry after the time in Retry-After, with the same Idempotency-Key.',
    retryable: true,
  },
  upstream_timeout: {
    status: 504,
    title: 'Upstream timeout',
    message: 'A service this operation depends on did not answer in time.',
    retryable: true,
  },
} as const satisfies Record<string, CatalogueEntry>

export type ErrorCode = keyof typeof errorCatalogue

// safe because the keys of the catalogue are the codes
export const errorCodes = Object.keys(errorCatalogue) as ErrorCode[]

export function catalogueEntry(code: ErrorCode): CatalogueEntry {
  return errorCatalogue[code]
}

/** The codes a detail of `validation_failed` can have, and what each means. */
export const validationMeanings = {
  required: 'The field is missing.',
  unknown_field: 'The body has a field that the operation does not accept.',
  invalid_type: 'The value has the wrong JSON type, such as text instead of a number.',
  invalid_format: 'The text does not have the required form, such as a date, an id or a country code.',
  too_long: 'The text or the list is longer than allowed; `meta.maximum` holds the limit.',
  too_short: 'The text or the list is shorter than allowed; `meta.minimum` holds the limit.',
  out_of_range: 'The number is too small or too large; `meta` holds the limits.',
  invalid_enum: 'The value is not one of the allowed values; `meta.allowed` lists them.',
  unknown_reference: 'The id names no record that this key can use here.',
  not_editable: 'The field is read-only, or it cannot be changed after creation.',
  unknown_question: 'The contract has no question with this key.',
  invalid_answer: 'The value does not fit its question.',
} as const
export type ValidationCode = keyof typeof validationMeanings

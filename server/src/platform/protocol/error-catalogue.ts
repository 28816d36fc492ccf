// Every error code of the API with its status and text. Clients depend on the code; the text may change.
interface CatalogueEntry {
  status: number
  title: string
  message: string
  retryable?: true
}

export const errorCatalogue = {
  malformed_json: { status: 400, title: 'Malformed JSON', message: 'The request body must be valid JSON.' },
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    message: 'The server cannot process this request. Check its syntax.',
  },
  unsupported_query_parameter: {
    status: 400,
    title: 'Unsupported query parameter',
    message: 'This operation does not accept one of the query parameters.',
  },
  repeated_query_parameter: {
    status: 400,
    title: 'Repeated query parameter',
    message: 'A query parameter was sent more than once. Send each parameter once.',
  },
  invalid_query_parameter: {
    status: 400,
    title: 'Invalid query parameter',
    message: 'A query parameter has an invalid value.',
  },
  invalid_cursor: {
    status: 400,
    title: 'Invalid cursor',
    message: 'The cursor is not valid for this collection. Start again without a cursor.',
  },
  cursor_mismatch: {
    status: 400,
    title: 'Cursor mismatch',
    message:
      'The request does not match its cursor. Keep filters, order and page_size unchanged, or start again without a cursor.',
  },
  cursor_expired: {
    status: 400,
    title: 'Cursor expired',
    message: 'The cursor expired: cursors are valid for 72 hours. Start again without a cursor.',
  },
  idempotency_key_required: {
    status: 400,
    title: 'Idempotency-Key required',
    message: 'This request requires an Idempotency-Key header. Use a new value, such as a UUID, for each new request.',
  },
  invalid_idempotency_key: {
    status: 400,
    title: 'Invalid Idempotency-Key',
    message:
      'Idempotency-Key must have 16 to 255 characters from A-Z a-z 0-9 . _ : -. Double quotes around it are optional.',
  },
  invalid_if_match: {
    status: 400,
    title: 'Invalid If-Match',
    message: 'If-Match must contain the ETag of the record, including the quotes.',
  },

  authentication_required: {
    status: 401,
    title: 'Authentication required',
    message: 'Authentication is required. Send an API key: Authorization: Bearer <API_KEY>.',
  },
  invalid_api_key: {
    status: 401,
    title: 'Invalid API key',
    message: 'The API key is not valid. Check that you sent the whole key.',
  },
  api_key_expired: {
    status: 401,
    title: 'API key expired',
    message: 'The API key has expired. Ask the Portal administrator for a new key.',
  },
  api_key_revoked: {
    status: 401,
    title: 'API key revoked',
    message: 'The API key was revoked. Ask the Portal administrator for a new key.',
  },
  transfer_credential_invalid: {
    status: 401,
    title: 'Invalid transfer credential',
    message: 'The credential is not valid for this file transfer. Request a new one for this file.',
  },
  transfer_credential_expired: {
    status: 401,
    title: 'Transfer credential expired',
    message: 'The transfer credential has expired. Request a new one for this file.',
  },

  resource_not_granted: {
    status: 403,
    title: 'Resource not granted',
    message: 'This API key does not have access to this resource. Ask the Portal administrator for a key that has it.',
  },
  action_not_granted: {
    status: 403,
    title: 'Action not granted',
    message: 'This API key lacks permission for this action. Ask the Portal administrator for a key that has it.',
  },
  portal_suspended: {
    status: 403,
    title: 'Portal suspended',
    message: 'This Portal is suspended. Contact the operator of the service.',
  },

  not_found: { status: 404, title: 'Not found', message: 'The record does not exist in this Portal.' },
  route_not_found: { status: 404, title: 'Route not found', message: 'No operation exists at this path.' },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    message: 'This path does not support this method. The Allow header lists the supported methods.',
  },
  not_acceptable: {
    status: 406,
    title: 'Not acceptable',
    message: 'The response is application/json, but the Accept header does not allow it.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    message: 'The request did not arrive in time. Send it again.',
    retryable: true,
  },

  idempotency_key_in_use: {
    status: 409,
    title: 'Idempotency-Key in use',
    message: 'A request with this Idempotency-Key is still in progress. Retry with the same key.',
    retryable: true,
  },
  state_conflict: {
    status: 409,
    title: 'State conflict',
    message: 'The state of the record does not allow this action.',
  },
  already_exists: { status: 409, title: 'Already exists', message: 'A record with this value already exists.' },
  operation_in_progress: {
    status: 409,
    title: 'Operation in progress',
    message: 'This operation is already in progress for this record. Retry when it has finished.',
    retryable: true,
  },
  already_with_recipient: {
    status: 409,
    title: 'Already with recipient',
    message: 'The recipient already has an open application of this business.',
  },
  webhook_not_active: { status: 409, title: 'Webhook not active', message: 'The webhook is not active.' },
  upload_already_completed: {
    status: 409,
    title: 'Upload already completed',
    message: 'The file was already uploaded. To upload different bytes, declare a new file.',
  },
  upload_not_completed: {
    status: 409,
    title: 'Upload not completed',
    message: 'The file has not been uploaded yet. Upload it first.',
  },
  limit_reached: { status: 409, title: 'Limit reached', message: 'Limit reached. The details name the limit.' },

  gone: { status: 410, title: 'Gone', message: 'The record is no longer available.' },
  event_expired: {
    status: 410,
    title: 'Event expired',
    message: 'The event has expired: events are kept for 30 days.',
  },
  version_retired: {
    status: 410,
    title: 'Version retired',
    message: 'This version of the API was retired. Use a supported version.',
  },

  length_required: { status: 411, title: 'Length required', message: 'This request requires a Content-Length header.' },
  precondition_failed: {
    status: 412,
    title: 'Precondition failed',
    message:
      'The record has changed since you read it. Read it again, merge your changes, then retry with the new ETag and a new Idempotency-Key.',
  },
  payload_too_large: {
    status: 413,
    title: 'Payload too large',
    message: 'The request body is larger than this operation accepts.',
  },
  file_too_large: { status: 413, title: 'File too large', message: 'The file is larger than the limit.' },
  uri_too_long: { status: 414, title: 'URI too long', message: 'The request URL must be at most 8 KiB long.' },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    message: 'The request body must be uncompressed JSON, sent with Content-Type: application/json.',
  },
  unsupported_file_type: {
    status: 415,
    title: 'Unsupported file type',
    message: 'This file type is not accepted here.',
  },
  range_not_satisfiable: {
    status: 416,
    title: 'Range not satisfiable',
    message: 'The requested range is outside the file.',
  },

  validation_failed: {
    status: 422,
    title: 'Validation failed',
    message: 'The request body has invalid values. The details list each problem.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency-Key reused',
    message: 'This Idempotency-Key was already used for a different request. Use a new key for each new request.',
  },
  application_incomplete: { status: 422, title: 'Application incomplete', message: 'The application is incomplete.' },
  criteria_incomplete: { status: 422, title: 'Criteria incomplete', message: 'The criteria are incomplete.' },
  recipient_not_eligible: {
    status: 422,
    title: 'Recipient not eligible',
    message: 'The recipient is not eligible to receive this application.',
  },
  lead_source_inactive: {
    status: 422,
    title: 'Lead source inactive',
    message: 'The lead source is inactive. Choose an active lead source.',
  },
  checksum_mismatch: {
    status: 422,
    title: 'Checksum mismatch',
    message: 'The received bytes do not match the declared size or checksum.',
  },
  file_rejected: { status: 422, title: 'File rejected', message: 'The file was rejected.' },
  webhook_url_not_allowed: {
    status: 422,
    title: 'Webhook URL not allowed',
    message: 'Webhooks cannot be sent to this URL.',
  },
  webhook_verification_failed: {
    status: 422,
    title: 'Webhook verification failed',
    message: 'The endpoint did not answer the verification challenge.',
  },

  precondition_required: {
    status: 428,
    title: 'Precondition required',
    message: 'This request requires an If-Match header with the ETag of the record, including the quotes.',
  },
  rate_limited: {
    status: 429,
    title: 'Rate limited',
    message: 'Too many requests. Retry after the number of seconds in Retry-After.',
    retryable: true,
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    message: 'The request headers must be at most 16 KiB in total.',
  },

  internal_error: {
    status: 500,
    title: 'Internal error',
    message:
      'An internal error occurred. Retry with the same Idempotency-Key. If it happens again, contact support with the request_id.',
    retryable: true,
  },
  upstream_error: {
    status: 502,
    title: 'Upstream error',
    message: 'A service that this operation depends on failed. Retry later.',
    retryable: true,
  },
  service_unavailable: {
    status: 503,
    title: 'Service unavailable',
    message:
      'The service is temporarily unavailable. Retry with the same Idempotency-Key after the number of seconds in Retry-After.',
    retryable: true,
  },
  upstream_timeout: {
    status: 504,
    title: 'Upstream timeout',
    message: 'A service that this operation depends on did not respond in time. Retry later.',
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
  invalid_format: 'The text does not have the required format, such as a date, an id or a country code.',
  too_long: 'The text or the list is longer than allowed; `meta.maximum` contains the limit.',
  too_short: 'The text or the list is shorter than allowed; `meta.minimum` contains the limit.',
  out_of_range: 'The number is too small or too large; `meta` contains the limits where there are fixed ones.',
  invalid_enum: 'The value is not one of the allowed values; `meta.allowed` lists them where the list is short.',
  unknown_reference: 'No record with this id exists that this API key can use here.',
  not_editable: 'The field is read-only, or it cannot be changed after creation.',
  unknown_question: 'The contract has no question with this key.',
  invalid_answer: 'The value does not fit its question.',
} as const
export type ValidationCode = keyof typeof validationMeanings

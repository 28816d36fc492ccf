/** The first four mean that the server has not seen the request; after the last two it may have acted on it. */
type OutboundErrorCode =
  | 'address_not_allowed'
  | 'dns_failed'
  | 'connection_failed'
  | 'tls_failed'
  | 'timed_out'
  | 'response_broken'

/** The message is fit for the Portal: it tells no resolved address and nothing of the response. */
export class OutboundError extends Error {
  readonly code: OutboundErrorCode

  constructor(code: OutboundErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Only the code of a foreign error is told: its message may quote what the server sent. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? ` (${code})` : ''
}

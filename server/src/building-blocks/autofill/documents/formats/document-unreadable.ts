export const unreadableCodes = [
  'too_large',
  'timed_out',
  'out_of_memory',
  'malformed',
  'encrypted',
  'unsupported',
] as const
export type UnreadableCode = (typeof unreadableCodes)[number]

/** The document cannot be read; trying again would not help. */
export class DocumentUnreadable extends Error {
  readonly code: UnreadableCode
  constructor(code: UnreadableCode, message: string) {
    super(message)
    this.name = 'DocumentUnreadable'
    this.code = code
  }
}

/** It unpacks to more than a document of its kind ever holds. */
export class DocumentTooLarge extends DocumentUnreadable {
  constructor(message: string) {
    super('too_large', message)
    this.name = 'DocumentTooLarge'
  }
}

// What a place that keeps files can do. Two of them are written: a directory (disk-store.ts) and S3 (s3-store.ts).
import type { Readable } from 'node:stream'
import { idPattern } from '../values/ids.ts'

/** A store, and what is known of the calls to it. */
export interface FileStore extends Store {
  readonly times: {
    readonly byOperation: ReadonlyMap<string, StoreTimes>
    /** Told of each call, while somebody wants to know. */
    observe?: (operation: string, milliseconds: number, isFailed: boolean) => void
  }
}

export interface StoreTimes {
  calls: number
  /** Those that were refused because the store could not be used. */
  failures: number
  milliseconds: number
}

export interface Store {
  /** Set when clients exchange bytes with the store itself; otherwise bytes pass through this server. */
  readonly direct: DirectTransfers | undefined
  /** Set when bytes pass through this server. */
  readonly receiver: Receiver | undefined
  /** The bytes from start to end, both inclusive; all of them without a range. */
  open(key: string, range?: ByteRange): Promise<Readable>
  /** What is kept under the key; undefined when nothing is. `version` changes whenever the bytes are written again. */
  stat(key: string): Promise<{ size_bytes: number; version: string } | undefined>
  /** Writes the bytes under the key, whatever is kept there. Throws UnexpectedBytes, and keeps none, unless they are the declared ones. */
  put(key: string, file: { content_type: string; size_bytes: number; sha256: string }, bytes: Readable): Promise<void>
  /** Gone afterwards, whether or not it was there. */
  remove(key: string): Promise<void>
  /**
   * All that is kept under keys of ours, and what was uploaded for one; nothing else that may be there. What is written or
   * removed meanwhile may be listed or not. Throws StoreUnavailable rather than end too early.
   */
  list(): AsyncIterable<ListedFile>
  /** Throws a sentence when the store cannot be used right now. */
  check(): Promise<void>
  /** Tries everything the service needs of the store, with a file of its own that is removed again. */
  examine(): Promise<StoreFinding[]>
  close(): Promise<void>
}

export interface ListedFile {
  key: string
  /** Still where its presigned upload has put it (see DirectTransfers), not under the key. */
  is_upload: boolean
  /** When the bytes were written, in milliseconds since 1970, by the clock of the store. */
  modified_at: number
}

export interface ByteRange {
  start: number
  end: number
}

export interface StoreFinding {
  outcome: 'ok' | 'warning' | 'problem'
  message: string
}

/**
 * A presigned upload writes to a place of its own, never to the key. `settle` copies the bytes to the key with our own
 * credentials and checks them on the way: no request a client holds can change what is kept under a key.
 */
export interface DirectTransfers {
  upload(
    key: string,
    file: { content_type: string; size_bytes: number; sha256: string },
    expiresInSeconds: number,
  ): DirectRequest
  download(key: string, file: { filename: string; content_type: string }, expiresInSeconds: number): DirectRequest
  /** Whether anything was uploaded for the key. */
  hasArrived(key: string): Promise<boolean>
  /**
   * `settled`: the declared bytes are kept under the key. `different`: other bytes were uploaded. Safe to run again, and
   * by several at once: nothing but the declared bytes is ever written to the key.
   */
  settle(
    key: string,
    file: { content_type: string; size_bytes: number; sha256: string },
    signal: AbortSignal,
  ): Promise<'settled' | 'absent' | 'different'>
  /** Removes what was uploaded for the key; what is kept under the key stays. */
  removeUpload(key: string): Promise<void>
}

interface DirectRequest {
  method: 'PUT' | 'GET'
  url: string
  headers: Record<string, string>
}

interface Receiver {
  /**
   * Writes the stream to a temporary place, hashing as it goes; throws TooManyBytes as soon as there are more than
   * expected. Nothing stays when it throws or the stream breaks. The stream is never destroyed: a request can still be
   * answered.
   */
  receive(bytes: Readable, expectedBytes: number): Promise<Incoming>
  /** Removes what dead processes left in the temporary place: what nobody has written to for so long. */
  sweep(olderThanMs: number): Promise<void>
}

export interface Incoming {
  size_bytes: number
  /** In hex. */
  sha256: string
  /** Fewer bytes than asked for at the end of the file. */
  read(offset: number, length: number): Promise<Buffer>
  /** Durable and visible under the key from now on, all at once. When it throws, discard. */
  keep(key: string): Promise<void>
  /** Does nothing once it is kept. */
  discard(): Promise<void>
}

/** The store is full, away or refuses us: the request is fine and may be sent again later. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

/** The upload has more bytes than were declared. */
export class TooManyBytes extends Error {
  override name = 'TooManyBytes'
  constructor(readonly expectedBytes: number) {
    super(`The upload has more than the declared ${expectedBytes} bytes. Send exactly the declared number of bytes.`)
  }
}

/** There is nothing to open under this key. */
export class NothingKept extends Error {
  override name = 'NothingKept'
  constructor(readonly key: string) {
    super(`The file ${key} is not in the file store.`)
  }
}

/** Keys become paths, so a store takes none but ours: `ptl_…/fil_…`. */
export function requireKey(key: string): void {
  if (!isKey(key)) throw new Error(`${JSON.stringify(key)} is not a file key; it must have the form ptl_…/fil_…`)
}

export function isKey(text: string): boolean {
  return keyPattern.test(text)
}

const keyPattern = new RegExp(`${idPattern('ptl').replace(/\$$/, '')}/${idPattern('fil').replace(/^\^/, '')}`)

/** A range must be one before it is looked at in the store. */
export function requireRange(range: ByteRange | undefined): void {
  if (!range) return
  const { start, end } = range
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start)
    throw new RangeError(
      `Invalid byte range ${start}-${end}: it must start at 0 or later and must not end before its start.`,
    )
}

// Bytes that somebody else kept are checked on their way out. The last piece is held back until all of them are known to
// be right: whoever reads the stream gets the whole, correct content or an error, never wrong bytes that look complete.
import { createHash } from 'node:crypto'
import { pipeline, type Readable, Transform } from 'node:stream'

interface ExpectedBytes {
  size_bytes: number
  /** In hex. Without it only the size is checked, as for a part of a file. */
  sha256?: string
}

/** The bytes are not the expected ones. */
export class UnexpectedBytes extends Error {
  override name = 'UnexpectedBytes'
}

/** `beforeLast` may refuse by throwing, after everything else was found right. */
export function checkedStream(
  bytes: Readable,
  { size_bytes, sha256 }: ExpectedBytes,
  beforeLast: () => Promise<void> = () => Promise.resolve(),
): Readable {
  const hash = sha256 === undefined ? undefined : createHash('sha256')
  let size = 0
  let held: Buffer | undefined
  const check = async () => {
    if (size !== size_bytes) throw new UnexpectedBytes(`The stored file has ${size} bytes; expected ${size_bytes}.`)
    if (hash && hash.digest('hex') !== sha256)
      throw new UnexpectedBytes('The SHA-256 of the stored bytes differs from the declared SHA-256.')
    await beforeLast()
  }
  const checked = new Transform({
    highWaterMark: bufferedBytes,
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      if (size > size_bytes) {
        done(new UnexpectedBytes(`The stored file has more than the expected ${size_bytes} bytes.`))
        return
      }
      hash?.update(chunk)
      const ready = held
      held = chunk
      done(null, ready)
    },
    flush(done) {
      check().then(() => done(null, held), done)
    },
  })
  // Errors reach the reader of the returned stream; a reader that stops also stops the source.
  pipeline(bytes, checked, () => undefined)
  return checked
}

const bufferedBytes = 256 * 1024

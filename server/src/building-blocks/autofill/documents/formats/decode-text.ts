import { DocumentUnreadable } from './document-unreadable.ts'

/** Text as people save it: in UTF-8, UTF-16 or Latin-1. */
export function decodeText(bytes: Buffer): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  const head = bytes.subarray(0, 4096)
  const zeros = head.filter((byte) => byte === 0).length
  if (zeros > 0) {
    // Every second byte is zero: UTF-16 of Western text without its mark. Other zeros: not a text.
    const odd = head.filter((byte, index) => byte === 0 && index % 2 === 1).length
    if (zeros * 3 > head.length && odd === zeros) return new TextDecoder('utf-16le').decode(bytes)
    if (zeros * 3 > head.length && odd === 0) return new TextDecoder('utf-16be').decode(bytes)
    throw new DocumentUnreadable('malformed', 'The file is not a text file. Export it as CSV and upload it again.')
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

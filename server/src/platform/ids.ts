import { randomFillSync } from 'node:crypto'
import { V7Generator } from 'uuidv7'

/** `<prefix>_<26 characters>`: a UUIDv7 in lowercase base32, so that ids sort by the time they were made. */
export function newId(prefix: string): string {
  const { bytes } = generator.generate()
  let text = `${prefix}_`
  // 130 bits of base32 hold 128 bits of id: the first character carries only three of them.
  let buffer = 0
  let bits = 2
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet[(buffer >> bits) & 31]
    }
    buffer &= (1 << bits) - 1
  }
  return text
}

/** Source of a regular expression that fits ids of one prefix, for schemas and path parameters. */
export function idPattern(prefix: string): string {
  return `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`
}

// Random numbers are drawn many at a time: the library's own source draws eight, which costs more than the id.
const pool = new Uint32Array(1024)
let drawn = pool.length
const generator = new V7Generator({
  nextUint32() {
    if (drawn === pool.length) {
      randomFillSync(pool)
      drawn = 0
    }
    return pool[drawn++] ?? 0
  },
})

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

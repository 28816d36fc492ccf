// Whose key a request bears, as far as it can be said at once: for deciding who waits and who is refused, never for
// deciding who may do something. A key that was valid lately is known again by a number made of its text, which says
// nothing of the text. The number depends on a seed that nobody knows, so nobody can find another text with that number.
import { randomInt } from 'node:crypto'

export function createRecognition() {
  const seed = randomInt(2 ** 32)
  let latest = new Map<number, string>()
  let earlier = new Map<number, string>()
  return {
    remember(text: string, portalId: string): void {
      if (latest.size >= mostRemembered) {
        earlier = latest
        latest = new Map()
      }
      latest.set(numberOf(text, seed), portalId)
    },
    /** Of a key that is valid no more: whoever has it is a stranger from now on. */
    forget(text: string): void {
      const number = numberOf(text, seed)
      latest.delete(number)
      earlier.delete(number)
    },
    portalOf(text: string): string | undefined {
      const number = numberOf(text, seed)
      return latest.get(number) ?? earlier.get(number)
    },
  }
}

/** 53 bits, mixed from every character and the seed. */
function numberOf(text: string, seed: number): number {
  let high = seed
  let low = ~seed
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    high = Math.imul(high ^ code, 0x85eb_ca6b)
    high ^= high >>> 15
    low = Math.imul(low ^ code, 0xc2b2_ae35)
    low ^= low >>> 13
  }
  return (high >>> 11) * 2 ** 32 + (low >>> 0)
}

const mostRemembered = 50_000

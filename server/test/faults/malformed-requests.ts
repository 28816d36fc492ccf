// Requests that are wrong in every way we could think of, from a seed: request n of a seed is always the same.
import { nearlyRightQuery, oddCursor, oddHeaderValue, oddMethod, oddQuery, wrongId } from './malformed-addresses.ts'
import {
  brokenJson,
  deepJson,
  invalidText,
  nearlyRightInput,
  oddChange,
  oddCommand,
  oddContentType,
  oddInput,
} from './malformed-bodies.ts'
import {
  brokenFraming,
  brokenHeaders,
  brokenRequestLine,
  hugeHeaders,
  randomBytes,
  truncated,
} from './malformed-bytes.ts'
import type { RawRequest } from './raw-exchange.ts'
import { createSeededRandom, type SeededRandom } from './seeded-random.ts'
import type { Truth } from './wellformed-requests.ts'

export function malformedRequest(seed: number, n: number, truth: Truth): RawRequest {
  const random = createSeededRandom(seed + n * 7919)
  const make = random.pick(generators)
  return make(random, truth)
}

type Generator = (random: SeededRandom, truth: Truth) => RawRequest

const generators: readonly Generator[] = [
  randomBytes,
  brokenRequestLine,
  brokenHeaders,
  brokenFraming,
  truncated,
  hugeHeaders,
  oddMethod,
  oddQuery,
  nearlyRightQuery,
  nearlyRightQuery,
  oddCursor,
  wrongId,
  oddHeaderValue,
  oddHeaderValue,
  oddContentType,
  brokenJson,
  brokenJson,
  invalidText,
  deepJson,
  oddInput,
  nearlyRightInput,
  nearlyRightInput,
  oddChange,
  oddCommand,
]

import { limitReached } from '../../platform/protocol/errors.ts'
import type { Sheet } from './sheet.ts'

/** Every read and write of an application loads all of its answers, so their total size is limited. */
const maximumSheetBytes = 2 * 1024 * 1024

/** Throws when the answers of an application would exceed the limit. */
export function requireRoom({ answers, items }: Sheet): void {
  let bytes = 0
  for (const { value } of answers.values()) bytes += sizeOf(value)
  for (const list of items.values())
    for (const { values } of list) for (const { value } of values.values()) bytes += sizeOf(value)
  if (bytes <= maximumSheetBytes) return
  throw limitReached('Limit reached: the answers of an application must not exceed 2 MiB in total.', {
    name: 'answers',
    advice: 'Shorten long texts, or upload them as files.',
    meta: { maximum_bytes: maximumSheetBytes, bytes },
  })
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
}

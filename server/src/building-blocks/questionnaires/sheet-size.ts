import { limitReached } from '../../platform/protocol/errors.ts'
import type { Sheet } from './sheet.ts'

/** Whatever is read or written of an application, all of its answers are looked at: they must stay few. */
const maximumSheetBytes = 2 * 1024 * 1024

/** Throws when an application would hold more than it may. */
export function requireRoom({ answers, items }: Sheet): void {
  let bytes = 0
  for (const { value } of answers.values()) bytes += sizeOf(value)
  for (const list of items.values())
    for (const { values } of list) for (const { value } of values.values()) bytes += sizeOf(value)
  if (bytes <= maximumSheetBytes) return
  throw limitReached('The answers of an application have at most 2 MiB in all.', {
    name: 'answers',
    advice: 'Shorten long texts, or send them as files.',
    meta: { maximum_bytes: maximumSheetBytes, bytes },
  })
}

function sizeOf(value: unknown): number {
  return typeof value === 'string' ? value.length : (JSON.stringify(value)?.length ?? 0)
}

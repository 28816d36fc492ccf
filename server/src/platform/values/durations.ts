import { counted } from './counted.ts'

/** A duration in the largest unit that fits: "40 days", "1 hour", "90 seconds". */
export function spokenDuration(milliseconds: number): string {
  const seconds = Math.round(Math.abs(milliseconds) / 1000)
  if (seconds >= 2 * 86_400) return counted(Math.round(seconds / 86_400), 'day')
  if (seconds >= 2 * 3600) return counted(Math.round(seconds / 3600), 'hour')
  if (seconds >= 120) return counted(Math.round(seconds / 60), 'minute')
  return counted(seconds, 'second')
}

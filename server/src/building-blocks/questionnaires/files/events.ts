import type { EventKind } from '../../../platform/background/events.ts'

export const fileEvents: readonly EventKind[] = [
  { type: 'file.available', resource: 'File', description: 'A file was uploaded, checked and can be downloaded.' },
  { type: 'file.rejected', resource: 'File', description: 'A file was refused; `rejection` of its record says why.' },
]

import type { EventKind } from '../../../platform/background/events.ts'
import { exampleId } from '../../../platform/values/fields.ts'

export const fileEvents: readonly EventKind[] = [
  {
    type: 'file.available',
    resource: 'File',
    description: 'A file was uploaded and checked. It can be downloaded now.',
  },
  {
    type: 'file.rejected',
    resource: 'File',
    description: 'An uploaded file was rejected. Its `rejection` field says why.',
    example: {
      path: `/client-intake-applications/${exampleId('cia')}/files/${exampleId('fil')}/`,
      state: 'rejected',
      previous_state: 'awaiting_upload',
    },
  },
]

import type { EventKind } from '../../platform/background/events.ts'
import { exampleId } from '../../platform/values/fields.ts'

export const businessEvents: readonly EventKind[] = [
  { type: 'business.created', resource: 'Business', description: 'A business was created.' },
  {
    type: 'business.updated',
    resource: 'Business',
    description: 'A business was changed. `data.changes` lists the changed fields.',
  },
  { type: 'business.archived', resource: 'Business', description: 'A business was archived.' },
  { type: 'business.restored', resource: 'Business', description: 'An archived business was restored.' },
  {
    type: 'business.erased',
    resource: 'Business',
    description:
      'A business was erased, with its applications, projects and deals. Its URL returns 404. Erase your own copies.',
    example: { path: `/businesses/${exampleId('biz')}/` },
  },
]

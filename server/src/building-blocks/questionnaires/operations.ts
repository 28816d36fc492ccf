import { ApiError } from '../../platform/http/errors.ts'
import { defineRead, type Operation } from '../../platform/http/operation.ts'
import { idPattern } from '../../platform/ids.ts'
import { findContract } from './queries.ts'
import { toContract } from './records.ts'
import { Contract } from './schema.ts'

export const questionnaireOperations: readonly Operation[] = [
  defineRead({
    id: 'contracts.read',
    path: '/contracts/{contract_id}/',
    resource: 'Contracts',
    summary: 'Read the questions of an application',
    description:
      'The sections, questions and rules an application was begun with; its `contract_url` leads here. A published version never changes: keep it as long as you like.',
    grant: [
      'client_intake_applications:read',
      'client_intake_applications:write',
      'client_intake_applications:review',
      'deal_applications:read',
      'deal_applications:write',
    ],
    params: { contract_id: idPattern('ctr') },
    response: Contract,
    isImmutable: true,
    async read(db, { caller, params }) {
      const row = await findContract(db, caller.portal_id, params.contract_id)
      if (!row) throw new ApiError('not_found')
      return toContract(caller.context, row)
    },
  }),
]

import type { Caller } from '../../platform/context.ts'
import type { Connection } from '../../platform/database/database.ts'
import { Document, defineRead, type Operation } from '../../platform/http/operation.ts'
import { ApiError } from '../../platform/protocol/errors.ts'
import { etagOfText } from '../../platform/protocol/etag.ts'
import { idPattern } from '../../platform/values/ids.ts'
import { answerSchema } from './answer-schema.ts'
import { findContract } from './queries.ts'
import { toContract } from './records.ts'
import { AnswerSchema, Contract } from './schema.ts'

const applicationGrants = [
  'client_intake_applications:read',
  'client_intake_applications:write',
  'client_intake_applications:review',
  'deal_applications:read',
  'deal_applications:write',
]

export const contractOperations: readonly Operation[] = [
  defineRead({
    id: 'contracts.read',
    path: '/contracts/{contract_id}/',
    resource: 'Contracts',
    summary: 'Read the questions of an application',
    description:
      'The sections, questions and rules an application was begun with; its `contract_url` leads here. A published version never changes: keep it as long as you like.',
    grant: applicationGrants,
    params: { contract_id: idPattern('ctr') },
    response: Contract,
    isImmutable: true,
    async read(db, { caller, params }) {
      return readContract(db, caller, params.contract_id)
    },
  }),
  defineRead({
    id: 'contracts.schema',
    path: '/contracts/{contract_id}/schema.json',
    resource: 'Contracts',
    summary: 'Read the JSON Schema of the answers',
    description:
      'What each answer may be, for your own forms and checks. Not in it, because they depend on the day or on other answers: bounds relative to today, uniqueness within a group, and which questions must be answered.',
    grant: applicationGrants,
    params: { contract_id: idPattern('ctr') },
    response: AnswerSchema,
    isImmutable: true,
    async read(db, { caller, params }) {
      const { title, schema_url, sections, questions, option_sets } = await readContract(db, caller, params.contract_id)
      const schema = answerSchema({ sections, questions, option_sets }, { id: schema_url, title })
      const text = JSON.stringify(schema)
      return new Document(text, etagOfText(text))
    },
  }),
]

async function readContract(db: Connection, caller: Caller, id: string): Promise<Contract> {
  const row = await findContract(db, caller.portal_id, id)
  if (!row) throw new ApiError('not_found')
  return toContract(caller.context, row)
}

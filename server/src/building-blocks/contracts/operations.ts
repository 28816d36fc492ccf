import type { Caller } from '../../platform/context.ts'
import type { Connection } from '../../platform/database/database.ts'
import { mapPage } from '../../platform/database/paging.ts'
import { Document, defineList, defineRead, type Operation } from '../../platform/http/operation.ts'
import { idParameter } from '../../platform/http/path-parameter.ts'
import { ApiError } from '../../platform/protocol/errors.ts'
import { etagOfText } from '../../platform/protocol/etag.ts'
import { answerSchema } from './answer-schema.ts'
import { listContracts } from './queries.ts'
import { toContract, toContractSummary } from './records.ts'
import { AnswerSchema, Contract, ContractSummary, contractFilters } from './schema.ts'
import { type ContractVisibility, findVisibleContract } from './visibility.ts'

const params = { contract_id: idParameter('ctr', 'The version of a contract.', { found_in: '/contracts/' }) }

interface ContractReaders {
  /** Open to every key with one of these grants: those of the applications that have questions. */
  grants: readonly string[]
  /** Contracts of other Portals that a caller may read. */
  visibility: readonly ContractVisibility[]
}

export function contractOperations({ grants, visibility }: ContractReaders): Operation[] {
  const readContract = async (db: Connection, caller: Caller, id: string): Promise<Contract> => {
    const row = await findVisibleContract(db, caller, visibility, id)
    if (!row) throw new ApiError('not_found')
    return toContract(caller.context, row)
  }
  return [
    defineList({
      id: 'contracts.list',
      path: '/contracts/',
      resource: 'Contracts',
      summary: 'List contracts',
      description:
        'The versions of contracts that the Portal has published, newest first, without their sections and questions: read one at its `url`.',
      grant: grants,
      query: contractFilters,
      item: ContractSummary,
      collection: {
        orders: ['created_at'],
        default_order: '-created_at',
        page_size: { default: 25, maximum: 100 },
        backward: true,
      },
      async list(db, { caller, query }, page) {
        return mapPage(await listContracts(db, caller.portal_id, query, page), (row) =>
          toContractSummary(caller.context, row),
        )
      },
    }),
    defineRead({
      id: 'contracts.read',
      path: '/contracts/{contract_id}/',
      resource: 'Contracts',
      summary: 'Read the questions of an application',
      description:
        'The sections, questions and rules an application was begun with; its `contract_url` leads here. A published version never changes: keep it as long as you like.',
      grant: grants,
      params,
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
      grant: grants,
      params,
      response: AnswerSchema,
      isImmutable: true,
      async read(db, { caller, params }) {
        const { title, schema_url, sections, questions, option_sets } = await readContract(
          db,
          caller,
          params.contract_id,
        )
        const schema = answerSchema({ sections, questions, option_sets }, { id: schema_url, title })
        const text = JSON.stringify(schema)
        return new Document(text, etagOfText(text))
      },
    }),
  ]
}

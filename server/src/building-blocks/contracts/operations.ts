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

const params = { contract_id: idParameter('ctr', 'The id of the contract version.', { found_in: '/contracts/' }) }

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
        'Lists all contract versions the Portal has published, newest first. Sections and questions are not included; read a contract at its `url`.',
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
      summary: 'Read a contract',
      description:
        'Returns the sections, questions and rules of one contract version. The `contract_url` of an application and the `application_contract_url` of a recipient point here. A published version never changes, so you can cache it without limit.',
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
        'Returns a JSON Schema of the answers for your own forms and checks. It does not include rules that depend on the date or on other answers: bounds relative to today, uniqueness within a group, and which questions are required.',
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

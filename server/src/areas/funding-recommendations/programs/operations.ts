import { mapPage } from '../../../platform/database/paging.ts'
import { defineList, defineRead, defineWrite, type Operation } from '../../../platform/http/operation.ts'
import { type ExampleSource, idParameter } from '../../../platform/http/path-parameter.ts'
import { ApiError } from '../../../platform/protocol/errors.ts'
import { changeProgram, createProgram, moveProgram } from './commands.ts'
import { toProgram } from './records.ts'
import { FundingProgram, ProgramChange, ProgramInput, programFilters } from './schema.ts'
import { findVisibleProgram, listPrograms } from './visible-queries.ts'

const resource = 'Funding programmes'
const read = ['projects:read']
const write = ['projects:write']
const params = {
  program_id: idParameter('prg', 'The id of the programme.', { made_by: 'funding_programs.create' }),
}
/** For examples that a programme which is open from the start does not fit. */
const draft: Record<'program_id', ExampleSource> = {
  program_id: {
    made_by: 'funding_programs.create',
    body: { name: 'Seasonal line of credit', funding_type: 'line_of_credit' },
  },
}

export const fundingProgramOperations: readonly Operation[] = [
  defineWrite({
    id: 'funding_programs.create',
    method: 'POST',
    path: '/funding-programs/',
    resource,
    summary: 'Create a funding programme',
    description:
      'Adds a programme to the catalogue of your own Portal, which is its recipient. A draft is visible only to your own Portal; `publish` opens it. To load many programmes at once, use `portico program import`.',
    grant: write,
    ifMatch: false,
    body: ProgramInput,
    example: {
      name: 'Growth loan',
      funding_type: 'term_loan',
      status: 'open',
      summary: 'Loans for businesses that have been trading for two years.',
      amount: { min: { amount: '25000.00', currency: 'USD' }, max: { amount: '500000.00', currency: 'USD' } },
      term_months: { min: 12, max: 60 },
      rate: { kind: 'fixed', min: 7.5, max: 12 },
      time_to_fund_days: { min: 5, max: 15 },
      eligibility: [
        { criterion: 'time_in_business_months', operator: 'gte', value: 24 },
        { criterion: 'region', operator: 'in', value: ['US-CA', 'US-OR', 'US-WA'] },
        { criterion: 'ownership_attributes', operator: 'contains_any', value: ['women_owned'], effect: 'preferred' },
      ],
    },
    status: 201,
    response: FundingProgram,
    errors: ['already_exists'],
    write: async (tx, { caller, body }) => toProgram(caller, await createProgram(tx, caller, body)),
  }),
  defineList({
    id: 'funding_programs.list',
    path: '/funding-programs/',
    resource,
    summary: 'List funding programmes',
    description:
      'Lists the programmes of your own Portal in every status, and the programmes of other visible recipients except drafts.',
    grant: read,
    query: programFilters,
    item: FundingProgram,
    collection: {
      orders: ['created_at'],
      default_order: '-created_at',
      page_size: { default: 25, maximum: 100 },
      backward: true,
    },
    async list(db, { caller, query }, page) {
      return mapPage(await listPrograms(db, caller.portal_id, query, page), (row) => toProgram(caller, row))
    },
  }),
  defineRead({
    id: 'funding_programs.read',
    path: '/funding-programs/{program_id}/',
    resource,
    summary: 'Read a funding programme',
    grant: read,
    params,
    example_needs: { program_id: { found_in: '/funding-programs/?status=open&order=created_at' } },
    response: FundingProgram,
    async read(db, { caller, params }) {
      const row = await findVisibleProgram(db, caller.portal_id, params.program_id)
      if (!row) throw new ApiError('not_found')
      return toProgram(caller, row)
    },
  }),
  defineWrite({
    id: 'funding_programs.change',
    method: 'PATCH',
    path: '/funding-programs/{program_id}/',
    resource,
    summary: 'Change a funding programme',
    description:
      'Changes only the fields that are sent; the status changes with `publish`, `pause` and `close`. Only the Portal that offers the programme can change it. Calculations made before keep the version they were made with.',
    grant: write,
    params,
    ifMatch: true,
    body: ProgramChange,
    example: { time_to_fund_days: { min: 3, max: 10 } },
    status: 200,
    response: FundingProgram,
    errors: ['already_exists'],
    write: async (tx, { caller, params, ifMatch, body }) =>
      toProgram(caller, await changeProgram(tx, caller, { ...params, ifMatch, change: body })),
  }),
  defineMove('publish', {
    summary: 'Publish a funding programme',
    description: 'Opens a draft, scheduled, paused or closed programme: projects are matched with it.',
    example_needs: draft,
  }),
  defineMove('pause', {
    summary: 'Pause a funding programme',
    description: 'Stops matching with an open or scheduled programme until it is published again.',
    example_needs: params,
  }),
  defineMove('close', {
    summary: 'Close a funding programme',
    description: 'Ends a programme. It stays visible, and `publish` opens it again.',
    example_needs: params,
  }),
]

function defineMove(
  action: 'publish' | 'pause' | 'close',
  words: { summary: string; description: string; example_needs: Record<'program_id', ExampleSource> },
): Operation {
  return defineWrite({
    id: `funding_programs.${action}`,
    method: 'POST',
    path: `/funding-programs/{program_id}/${action}/`,
    resource,
    ...words,
    grant: write,
    params,
    ifMatch: true,
    status: 200,
    response: FundingProgram,
    errors: ['state_conflict'],
    write: async (tx, { caller, params, ifMatch }) =>
      toProgram(caller, await moveProgram(tx, caller, { ...params, ifMatch }, action)),
  })
}

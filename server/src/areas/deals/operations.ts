import { mapPage } from '../../platform/database/paging.ts'
import { defineList, defineRead, defineWrite, type Operation } from '../../platform/http/operation.ts'
import { type ExampleSource, idParameter } from '../../platform/http/path-parameter.ts'
import { ApiError } from '../../platform/protocol/errors.ts'
import { exampleId } from '../../platform/values/fields.ts'
import { changeDeal, type EndApplication, endDeal, moveDeal, pauseDeal, reopenDeal } from './commands.ts'
import { createDeal } from './creation-commands.ts'
import { requireDeal } from './kind.ts'
import { roleOf } from './parties.ts'
import { listDeals } from './queries.ts'
import { toDeal, toDisclosure, toTimelineEntry } from './records.ts'
import { Deal, DealChange, DealInput, dealFilters, LoseInput, MoveInput, NoteInput, WinInput } from './schema.ts'
import { listDisclosures, listTimeline } from './timeline-queries.ts'
import { Disclosure, TimelineEntry } from './timeline-schema.ts'

const resource = 'Deals'
const read = ['deals:read']
const write = ['deals:write']
const inState = (query: string) => ({ found_in: `/deals/?${query}` })
const params = { deal_id: idParameter('deal', 'The id of the deal.', inState('direction=sent&state=won')) }
/** What every action on a deal has in common. */
const action = {
  method: 'POST',
  resource,
  grant: write,
  params,
  ifMatch: true,
  status: 200,
  response: Deal,
  errors: ['state_conflict', 'action_not_granted'],
} as const
const entries = { orders: ['at'], page_size: { default: 100, maximum: 500 }, backward: true }

/** What ends with a deal is handed in: applications know deals, and not the other way round. */
export function dealOperations(endApplication: EndApplication): readonly Operation[] {
  return [
    defineWrite({
      id: 'deals.create',
      method: 'POST',
      path: '/deals/',
      resource,
      summary: 'Create a deal',
      description:
        'Creates a deal for your own Portal or for another recipient. The recipient sees the deal at once, with the name and country of the business and nothing else of it. Created from a match, the deal takes over the amount and the funding programme.',
      grant: write,
      ifMatch: false,
      example_needs: { business_id: { id_prefix: 'biz', found_in: '/businesses/?state=active&search=bakery' } },
      body: DealInput,
      example: {
        business_id: exampleId('biz'),
        title: 'Loan for a second oven',
        amount_requested: { amount: '85000.00', currency: 'USD' },
      },
      status: 201,
      response: Deal,
      errors: ['already_exists', 'state_conflict', 'recipient_not_eligible'],
      write: async (tx, { caller, body }) => toDeal(caller, await createDeal(tx, caller, body)),
    }),
    defineList({
      id: 'deals.list',
      path: '/deals/',
      resource,
      summary: 'List deals',
      description:
        'The deals your Portal created and those it received, the latest activity first. `direction=received` is the inbox of a recipient. A record that changes during a walk moves to its beginning: to read all of them, send `order=updated_at`, so that it moves to the end and is not missed.',
      grant: read,
      query: dealFilters,
      item: Deal,
      collection: {
        orders: ['updated_at'],
        default_order: '-updated_at',
        page_size: { default: 25, maximum: 100 },
        backward: true,
      },
      list: async (db, { caller, query }, page) =>
        mapPage(await listDeals(db, caller.portal_id, query, page), (deal) => toDeal(caller, deal)),
    }),
    defineRead({
      id: 'deals.read',
      path: '/deals/{deal_id}/',
      resource,
      summary: 'Read a deal',
      description:
        'Both parties read the deal at the same address. `direction`, `available_actions`, `number` and the private fields depend on who reads.',
      grant: read,
      params,
      response: Deal,
      read: async (db, { caller, params }) => toDeal(caller, await requireDeal(db, caller, params.deal_id)),
    }),
    defineWrite({
      id: 'deals.change',
      method: 'PATCH',
      path: '/deals/{deal_id}/',
      resource,
      summary: 'Change a deal',
      description: 'Changes the fields that belong to your party. This is allowed in every state.',
      grant: write,
      params,
      ifMatch: true,
      body: DealChange,
      example: { title: 'Two ovens for the second bakery', tags: ['priority'] },
      status: 200,
      response: Deal,
      errors: ['already_exists'],
      write: async (tx, { caller, params, ifMatch, body }) =>
        toDeal(caller, await changeDeal(tx, caller, { ...params, ifMatch }, body)),
    }),
    defineList({
      id: 'deals.progress',
      path: '/deals/{deal_id}/progress/',
      resource,
      summary: 'Follow the progress of a deal',
      description: 'The timeline of the deal: what happened, who did it, and when.',
      grant: read,
      params,
      item: TimelineEntry,
      collection: { ...entries, default_order: 'at' },
      async list(db, { caller, params }, page) {
        const deal = await requireDeal(db, caller, params.deal_id)
        const isRecipient = roleOf(deal, caller.portal_id) === 'recipient'
        const found = await listTimeline(db, deal, isRecipient || undefined, page)
        return mapPage(found, (entry) => toTimelineEntry(caller, deal, entry))
      },
    }),
    defineList({
      id: 'deals.disclosures',
      path: '/deals/{deal_id}/disclosures/',
      resource,
      summary: 'List what was shared with the recipient',
      description:
        'Which facts, answers and files of the business the recipient received, and when. Only the sender can read it. Empty for a deal of your own Portal.',
      grant: read,
      params,
      item: Disclosure,
      collection: { ...entries, default_order: 'at' },
      async list(db, { caller, params }, page) {
        const deal = await requireDeal(db, caller, params.deal_id)
        if (roleOf(deal, caller.portal_id) === 'recipient') throw new ApiError('not_found')
        return mapPage(await listDisclosures(db, deal, page), toDisclosure)
      },
    }),
    defineWrite({
      ...action,
      id: 'deals.move',
      path: '/deals/{deal_id}/stage/',
      summary: 'Move a deal to another stage',
      description:
        'Moves the deal to a stage of the Portal that works on it. Only that Portal can: the recipient, or your own Portal for its own deals. An application of the deal moves it by itself.',
      example_needs: { deal_id: { made_by: 'deals.create' } },
      body: MoveInput,
      example: { stage: 'qualifying', note: 'Called the owner; documents follow.' },
      write: async (tx, { caller, params, ifMatch, body }) =>
        toDeal(caller, await moveDeal(tx, caller, { ...params, ifMatch }, body)),
    }),
    pause('hold', 'Put a deal on hold', 'Puts an open deal on hold. Only the Portal that works on it can.', {
      made_by: 'deals.create',
    }),
    pause(
      'resume',
      'Resume a deal',
      'Continues a deal that is on hold. Only the Portal that works on it can.',
      inState('direction=received&state=on_hold'),
    ),
    defineWrite({
      ...action,
      id: 'deals.win',
      path: '/deals/{deal_id}/win/',
      summary: 'Mark a deal as won',
      description:
        'Ends an open deal as won. Only the Portal that works on it can. A deal with a submitted application is won by funding the application.',
      example_needs: { deal_id: { made_by: 'deals.create' } },
      body: WinInput,
      example: { amount_funded: { amount: '75000.00', currency: 'USD' } },
      write: async (tx, { caller, params, ifMatch, body }) =>
        toDeal(caller, await endDeal(tx, caller, { ...params, ifMatch }, { action: 'win', ...body }, endApplication)),
    }),
    defineWrite({
      ...action,
      id: 'deals.lose',
      path: '/deals/{deal_id}/lose/',
      summary: 'Mark a deal as lost',
      description:
        'Ends an open deal as lost. Only the Portal that works on it can. An open application of the deal is cancelled.',
      example_needs: { deal_id: { made_by: 'deals.create' } },
      body: LoseInput,
      example: { reason_code: 'client_chose_other', note: 'Chose another lender.' },
      write: async (tx, { caller, params, ifMatch, body }) =>
        toDeal(caller, await endDeal(tx, caller, { ...params, ifMatch }, { action: 'lose', ...body }, endApplication)),
    }),
    defineWrite({
      ...action,
      id: 'deals.withdraw',
      path: '/deals/{deal_id}/withdraw/',
      summary: 'Withdraw a deal',
      description:
        'Ends a deal that is open or on hold. Only the sender can. An open application of the deal is withdrawn. This cannot be undone.',
      example_needs: { deal_id: { made_by: 'deals.create' } },
      body: NoteInput,
      example: { note: 'The business no longer needs the money.' },
      write: async (tx, { caller, params, ifMatch, body }) =>
        toDeal(
          caller,
          await endDeal(tx, caller, { ...params, ifMatch }, { action: 'withdraw', ...body }, endApplication),
        ),
    }),
    defineWrite({
      ...action,
      id: 'deals.reopen',
      path: '/deals/{deal_id}/reopen/',
      summary: 'Reopen a deal',
      description:
        'Opens a deal that was lost or has expired. The Portal that works on it can reopen it; an expired deal can be reopened by the sender too. The deal can then have a new application.',
      example_needs: { deal_id: inState('direction=received&state=lost') },
      body: NoteInput,
      example: { note: 'The client came back.' },
      write: async (tx, { caller, params, ifMatch, body }) =>
        toDeal(caller, await reopenDeal(tx, caller, { ...params, ifMatch }, body?.note)),
    }),
  ]
}

function pause(verb: 'hold' | 'resume', summary: string, description: string, deal_id: ExampleSource): Operation {
  return defineWrite({
    ...action,
    id: `deals.${verb}`,
    path: `/deals/{deal_id}/${verb}/`,
    summary,
    description,
    example_needs: { deal_id },
    body: NoteInput,
    example: { note: 'Waiting for the annual accounts.' },
    write: async (tx, { caller, params, ifMatch, body }) =>
      toDeal(caller, await pauseDeal(tx, caller, { ...params, ifMatch }, verb, body?.note)),
  })
}

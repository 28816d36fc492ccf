import { atOneVersion } from '../../../building-blocks/questionnaires/load-questionnaire.ts'
import { paramsOf } from '../../../building-blocks/questionnaires/operation-paths.ts'
import { mapPage } from '../../../platform/database/paging.ts'
import { defineList, defineRead, defineWrite, type Operation } from '../../../platform/http/operation.ts'
import { idParameter } from '../../../platform/http/path-parameter.ts'
import { ApiError } from '../../../platform/protocol/errors.ts'
import { NoteInput } from '../../deals/schema.ts'
import { dealApplications } from '../kind.ts'
import { acceptOffer, declineOffer, makeOffer, type OpenedOffer, withdrawOffer } from './commands.ts'
import { findOffer, listOffers } from './queries.ts'
import { toOffer } from './records.ts'
import { Offer, OfferInput } from './schema.ts'

const resource = 'Offers'
const read = ['deal_applications:read']
const write = ['deal_applications:write']
const params = paramsOf(dealApplications).application
const offered = (direction: 'sent' | 'received') => ({
  application_id: { found_in: `${dealApplications.path}?direction=${direction}&state=offered` },
})
const onOffer = {
  ...params,
  offer_id: idParameter('ofr', 'The id of the offer.', { found_in: '/deal-applications/{application_id}/offers/' }),
}

export const offerOperations: readonly Operation[] = [
  defineWrite({
    id: 'offers.create',
    method: 'POST',
    path: '/deal-applications/{application_id}/offers/',
    resource,
    summary: 'Make an offer',
    description:
      'Makes an offer for an application. Only the recipient can. A new offer takes the place of the active one, which is kept as `superseded`. The ETag of an offer is that of its application.',
    grant: write,
    params,
    example_needs: { application_id: { found_in: `${dealApplications.path}?direction=received&state=in_review` } },
    ifMatch: true,
    body: OfferInput,
    example: {
      kind: 'final',
      amount: { amount: '75000.00', currency: 'USD' },
      term_months: 36,
      rate: { kind: 'fixed', value: 9.5, apr: 10.1 },
      repayment: { frequency: 'monthly', amount: { amount: '2400.00', currency: 'USD' } },
      conditions: ['Signed agreement'],
    },
    status: 201,
    response: Offer,
    errors: ['state_conflict', 'action_not_granted'],
    write: async (tx, { caller, params, ifMatch, body }) => {
      const { application, offer } = await makeOffer(tx, caller, { ...params, ifMatch }, body)
      return toOffer(caller, application, offer)
    },
  }),
  defineList({
    id: 'offers.list',
    path: '/deal-applications/{application_id}/offers/',
    resource,
    summary: 'List the offers of an application',
    description: 'Every offer that was made, the newest first.',
    grant: read,
    params,
    example_needs: offered('sent'),
    item: Offer,
    collection: {
      orders: ['created_at'],
      default_order: '-created_at',
      page_size: { default: 25, maximum: 100 },
      backward: true,
    },
    async list(db, { caller, params }, page) {
      return atOneVersion(db, caller, dealApplications, params.application_id, async (db, { application }) => {
        const found = await listOffers(db, application.portal_id, application.id, page)
        return mapPage(found, (offer) => toOffer(caller, application, offer))
      })
    },
  }),
  defineRead({
    id: 'offers.read',
    path: '/deal-applications/{application_id}/offers/{offer_id}/',
    resource,
    summary: 'Read an offer',
    grant: read,
    params: onOffer,
    example_needs: offered('sent'),
    response: Offer,
    async read(db, { caller, params }) {
      return atOneVersion(db, caller, dealApplications, params.application_id, async (db, { application }) => {
        const offer = await findOffer(db, application.portal_id, application.id, params.offer_id)
        if (!offer) throw new ApiError('not_found')
        return toOffer(caller, application, offer)
      })
    },
  }),
  decision(
    'accept',
    'sent',
    'Accept an offer',
    'Accepts the active offer. Only the sender can. A final offer settles the application. An accepted indicative offer sets the application back to review, and the recipient makes a final one.',
    acceptOffer,
  ),
  decision(
    'decline',
    'sent',
    'Decline an offer',
    'Declines the active offer. Only the sender can. The application ends and the deal is lost.',
    declineOffer,
  ),
  decision(
    'withdraw',
    'received',
    'Withdraw an offer',
    'Takes the active offer back. Only the recipient can. The application goes back to review.',
    withdrawOffer,
  ),
]

function decision(
  action: 'accept' | 'decline' | 'withdraw',
  direction: 'sent' | 'received',
  summary: string,
  description: string,
  decide: (...args: Parameters<typeof declineOffer>) => Promise<OpenedOffer>,
): Operation {
  return defineWrite({
    id: `offers.${action}`,
    method: 'POST',
    path: `/deal-applications/{application_id}/offers/{offer_id}/${action}/`,
    resource,
    summary,
    description,
    grant: write,
    params: onOffer,
    example_needs: offered(direction),
    ifMatch: true,
    body: NoteInput,
    example: { note: 'Agreed by phone.' },
    status: 200,
    response: Offer,
    errors: ['state_conflict', 'action_not_granted'],
    write: async (tx, { caller, params, ifMatch, body }) => {
      const { application, offer } = await decide(tx, caller, { ...params, ifMatch }, body?.note)
      return toOffer(caller, application, offer)
    },
  })
}

import type { BusinessRow } from '../../areas/businesses/queries.ts'
import {
  createApplication,
  respond,
  submitApplication,
  withdrawApplication,
} from '../../areas/deal-applications/commands.ts'
import { endWithDeal, expireApplication, expireOffer } from '../../areas/deal-applications/expiry-commands.ts'
import { dealApplications } from '../../areas/deal-applications/kind.ts'
import { acceptOffer, declineOffer, makeOffer, withdrawOffer } from '../../areas/deal-applications/offers/commands.ts'
import type { OfferInput } from '../../areas/deal-applications/offers/schema.ts'
import {
  acknowledge,
  cancelApplication,
  declineApplication,
  fund,
  requestInformation,
  returnApplication,
} from '../../areas/deal-applications/recipient-commands.ts'
import { changeDeal, endDeal, moveDeal, pauseDeal, reopenDeal } from '../../areas/deals/commands.ts'
import { createDeal } from '../../areas/deals/creation-commands.ts'
import { matchIdOf } from '../../areas/funding-recommendations/matches/match-ids.ts'
import { findProgramByReference } from '../../areas/funding-recommendations/programs/queries.ts'
import { startRun } from '../../building-blocks/autofill/commands.ts'
import type { ContractDraft } from '../../building-blocks/contracts/contract-schema.ts'
import { writeAnswers } from '../../building-blocks/questionnaires/answers/commands.ts'
import { addItem } from '../../building-blocks/questionnaires/items/commands.ts'
import { recipientIdOf } from '../../building-blocks/recipients/queries.ts'
import { day, isoTime } from '../../platform/clock.ts'
import type { Caller } from '../../platform/context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { daysAgo } from '../demo-time.ts'
import { answersOf, ownersOf, uploadDocument } from './answers.ts'
import type { Step, Story, Terms } from './story.ts'

/** The two Portals of a story, and what its sender has. They are one when the deal is for the own Portal. */
export interface Parties {
  sender: Caller
  recipient: Caller
  business: BusinessRow
  /** The questions of the recipient; without them there are no applications. */
  contract: ContractDraft | undefined
  /** The projects of the sender, by title. */
  projects: ReadonlyMap<string, string>
}

/** What a story is about at the moment. */
interface Scene extends Parties {
  story: Story
  deal_id: string
  application_id: string
  offer_id: string
}

export async function tellStory(tx: Tx, story: Story, parties: Parties): Promise<void> {
  const deal_id = await beginDeal(tx, story, parties)
  const scene: Scene = { ...parties, story, deal_id, application_id: '', offer_id: '' }
  for (const step of story.steps) Object.assign(scene, await take(tx, scene, step))
}

async function beginDeal(tx: Tx, story: Story, { sender, recipient, business, projects }: Parties): Promise<string> {
  const { title, amount, match, created, closes_in, tags, assignee } = story
  const today = sender.context.clock.now()
  const project_id = match && projects.get(match.project)
  const program = match && (await findProgramByReference(tx, recipient.portal_id, match.program))
  if (match && (!project_id || !program)) throw new Error(`the demo has no match of ${match.project}`)
  const { id } = await createDeal(tx, daysAgo(sender, created), {
    business_id: business.id,
    recipient_id: recipientIdOf(recipient.portal_id),
    title,
    amount_requested: usd(amount),
    ...(project_id && program && { project_id, match_id: matchIdOf(project_id, program.id) }),
    ...(closes_in !== undefined && { expected_close_on: isoTime(today + closes_in * day).slice(0, 10) }),
    ...(tags && { tags }),
  })
  if (assignee) await changeDeal(tx, daysAgo(recipient, created), { deal_id: id, ifMatch: null }, { assignee })
  return id
}

/** Takes one step; returns what the story is about from then on. */
async function take(tx: Tx, scene: Scene, step: Step): Promise<Partial<Scene>> {
  const { deal_id, application_id, offer_id } = scene
  const note = step.note ?? null
  const sender = daysAgo(scene.sender, step.at)
  const recipient = daysAgo(scene.recipient, step.at)
  const deal = { deal_id, ifMatch: null }
  const application = { application_id, ifMatch: null }
  const offer = { ...application, offer_id }
  switch (step.do) {
    case 'move':
      await moveDeal(tx, recipient, deal, { stage: step.stage, note })
      return {}
    case 'hold':
    case 'resume':
      await pauseDeal(tx, recipient, deal, step.do, note)
      return {}
    case 'withdraw':
      await endDeal(tx, sender, deal, { action: 'withdraw', note }, endWithDeal)
      return {}
    case 'win':
      await endDeal(tx, recipient, deal, { action: 'win', amount_funded: usd(scene.story.amount), note }, endWithDeal)
      return {}
    case 'lose':
      await endDeal(tx, recipient, deal, { action: 'lose', reason_code: step.reason, note }, endWithDeal)
      return {}
    case 'reopen':
      await reopenDeal(tx, recipient, deal, note)
      return {}
    case 'apply':
      return { application_id: await beginApplication(tx, sender, scene, step) }
    case 'submit':
      await submitApplication(tx, sender, application)
      return {}
    case 'respond':
      await respond(tx, sender, application, note)
      return {}
    case 'withdraw_application':
      await withdrawApplication(tx, sender, application, note)
      return {}
    case 'acknowledge':
      await acknowledge(tx, recipient, application, step.reference)
      return {}
    case 'ask': {
      const due_on = step.due_in === undefined ? null : dateAfter(recipient, step.due_in)
      await requestInformation(tx, recipient, application, { message: step.message, question_keys: step.keys, due_on })
      return {}
    }
    case 'return':
      await returnApplication(tx, recipient, application, { message: step.message, question_keys: step.keys })
      return {}
    case 'decline':
      await declineApplication(tx, recipient, application, { reason_codes: step.reasons, note })
      return {}
    case 'cancel_application':
      await cancelApplication(tx, recipient, application, note)
      return {}
    case 'offer':
      return { offer_id: (await makeOffer(tx, recipient, application, offerOf(recipient, step.offer))).offer.id }
    case 'accept_offer':
      await acceptOffer(tx, sender, offer, note)
      return {}
    case 'decline_offer':
      await declineOffer(tx, sender, offer, note)
      return {}
    case 'withdraw_offer':
      await withdrawOffer(tx, recipient, offer, note)
      return {}
    case 'fund':
      await fund(tx, recipient, application, { amount: usd(step.amount), funded_on: dateAfter(recipient, 0), note })
      return {}
    case 'expire':
      await expireApplication(tx, { ...sender, is_job: true }, application_id)
      return {}
    case 'expire_offer':
      await expireOffer(tx, { ...sender, is_job: true }, application_id)
      return {}
  }
}

async function beginApplication(
  tx: Tx,
  sender: Caller,
  { deal_id, story, business, contract }: Scene,
  { answered, autofill }: { answered?: number; autofill?: true },
): Promise<string> {
  if (!contract) throw new Error(`the recipient of ${story.title} has no questions`)
  const { id } = await createApplication(tx, sender, { deal_id })
  if (autofill) {
    await startRun(tx, sender, dealApplications, id, {})
    return id
  }
  const target = { application_id: id, ifMatch: null }
  await writeAnswers(tx, sender, dealApplications, target, answersOf(contract, business, story).slice(0, answered))
  for (const values of ownersOf(business))
    await addItem(tx, sender, dealApplications, { ...target, group_key: 'owners' }, { values })
  for (const key of story.documents ?? []) await uploadDocument(tx, sender, id, key)
  return id
}

function offerOf(
  recipient: Caller,
  { amount, rate, term_months, fee_percent, valid_days, ...terms }: Terms,
): OfferInput {
  return {
    ...terms,
    amount: usd(amount),
    ...(term_months !== undefined && { term_months }),
    ...(rate !== undefined && { rate: { kind: 'fixed', value: rate } }),
    ...(fee_percent !== undefined && { fees: [{ name: 'Arrangement fee', percent: fee_percent }] }),
    ...(term_months !== undefined && { repayment: { frequency: 'monthly' } }),
    ...(valid_days !== undefined && { valid_until: dateAfter(recipient, valid_days) }),
  }
}

/** A date some days after the caller's day. A day earlier, so that it is the past in every time zone, when it is the same. */
function dateAfter({ context }: Caller, days: number): string {
  return isoTime(context.clock.now() + (days === 0 ? -day : days * day)).slice(0, 10)
}

function usd(amount: string) {
  return { amount, currency: 'USD' }
}

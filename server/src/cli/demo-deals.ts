// Deals from match to money, in both directions: the demo Portal sends some to other recipients, works on some of its own,
// and receives some from a broker.

import { jobs } from '../app.ts'
import type { BusinessRow } from '../areas/businesses/queries.ts'
import { setStages } from '../areas/deals/stage-commands.ts'
import { autofillJob } from '../building-blocks/autofill/commands.ts'
import { publishContract } from '../building-blocks/contracts/commands.ts'
import type { ContractDraft } from '../building-blocks/contracts/contract-schema.ts'
import { listPortals } from '../building-blocks/portals/queries.ts'
import { publishRecipient } from '../building-blocks/recipients/commands.ts'
import type { Caller } from '../platform/context.ts'
import type { Tx } from '../platform/database/database.ts'
import harbourLoan from './demo-contracts/harbour-loan.json' with { type: 'json' }
import { createBroker } from './demo-deals/broker.ts'
import { own, received } from './demo-deals/received.ts'
import { liveSent } from './demo-deals/sent.ts'
import { earlySent, endedSent } from './demo-deals/sent-early-and-ended.ts'
import type { Story } from './demo-deals/story.ts'
import { type Parties, tellStory } from './demo-deals/tell-story.ts'
import { finishDemoJobs } from './demo-jobs.ts'
import { demoRecipientContracts, portalName } from './demo-recipients.ts'

/** How the demo Portal names the stages of the deals that it works on. */
const stages = [
  { key: 'new', label: 'New enquiry', category: 'new' },
  { key: 'qualifying', label: 'First call', category: 'qualifying' },
  { key: 'site_visit', label: 'Site visit', category: 'qualifying' },
  { key: 'application', label: 'Application', category: 'application' },
  { key: 'under_review', label: 'Credit review', category: 'under_review' },
  { key: 'offer', label: 'Offer', category: 'offer' },
  { key: 'closing', label: 'Signing', category: 'closing' },
  { key: 'funded', label: 'Paid out', category: 'funded' },
  { key: 'closed_lost', label: 'Not funded', category: 'closed_lost' },
]

interface DemoSenders {
  broker: Caller
  brokersBusinesses: ReadonlyMap<string, BusinessRow>
}

/** Makes the demo Portal a recipient with questions and stages of its own, for a broker that it has invited. */
export async function createDemoSenders(tx: Tx, demo: Caller): Promise<DemoSenders> {
  const { broker, businesses: brokersBusinesses } = await createBroker(tx, demo.context)
  const { id: application_contract_id } = await publishContract(tx, demo, harbourLoan)
  await publishRecipient(tx, demo, {
    name: 'Harbour Funding',
    kind: 'lender',
    countries: ['US'],
    time_zone: 'America/Los_Angeles',
    description: 'Bridge loans and equipment loans for small businesses in the western United States.',
    website: 'https://harbour-funding.example.com',
    application_contract_id,
    visibility: 'invited',
    invitations: [broker.portal_id],
  })
  await setStages(tx, demo.context, demo.portal_id, stages)
  return { broker, brokersBusinesses }
}

/** Tells every story, the oldest first, so that deals are numbered by their age. The matches must have been found. */
export async function createDemoDeals(
  tx: Tx,
  demo: Caller,
  {
    broker,
    brokersBusinesses,
    businesses,
    projects,
  }: DemoSenders & { businesses: ReadonlyMap<string, BusinessRow>; projects: ReadonlyMap<string, string> },
): Promise<void> {
  const portals = new Map((await listPortals(tx)).map(({ name, portal_id }) => [name, portal_id]))
  const partiesOf = (story: Story, sender: Caller): Parties => {
    const { recipient: name } = story
    const portal_id = name === undefined ? demo.portal_id : portals.get(portalName({ name }))
    const business = (sender === demo ? businesses : brokersBusinesses).get(story.business)
    if (portal_id === undefined || !business) throw new Error(`the demo has no ${name ?? ''} or ${story.business}`)
    // safe because publishing has checked the contracts
    const contract = (name === undefined ? harbourLoan : demoRecipientContracts.get(name)) as ContractDraft | undefined
    return { sender, recipient: { ...demo, portal_id }, business, contract, projects }
  }
  const told = [
    ...[...liveSent, ...earlySent, ...endedSent, ...own].map((story) => ({ story, sender: demo })),
    ...received.map((story) => ({ story, sender: broker })),
  ].sort((a, b) => b.story.created - a.story.created)
  for (const { story, sender } of told) await tellStory(tx, story, partiesOf(story, sender))
}

/** Does the Autofill that a story has started. */
export async function finishDemoAutofill(demo: Caller): Promise<void> {
  await finishDemoJobs(demo, jobs, autofillJob)
}

// How each event is made: by doing what it tells of, through the API, with records that say that they are for a test.
import { day } from '../platform/clock.ts'
import { type Call, CallError } from './api-client.ts'
import { CommandError } from './output.ts'
import { answerAll, uploadFile } from './test-answers.ts'

type Made = Record<string, unknown>

async function business(call: Call): Promise<Made> {
  const leadSource = await firstOf(call, 'lead-sources/?is_active=true&page_size=1')
  if (!leadSource)
    throw new CommandError('The Portal has no active lead source. Create one with: portico lead-source create')
  const name = `Test business ${new Date().toISOString()}`
  return call('POST', 'businesses/', { legal_name: name, country: 'US', lead_source_id: leadSource.id, tags: ['test'] })
}

async function project(call: Call): Promise<Made> {
  const { id } = await business(call)
  return call('POST', 'projects/', { business_id: id, title: 'Test project' })
}

async function deal(call: Call): Promise<Made> {
  const { id } = await business(call)
  return call('POST', 'deals/', { business_id: id, title: 'Test deal', tags: ['test'] })
}

/** A project with a value for every criterion that is required. */
async function completeProject(call: Call): Promise<Made> {
  const made = await project(call)
  const values = {
    amount_requested: { amount: '25000.00', currency: 'USD' },
    use_of_funds: ['equipment'],
    time_in_business_months: 24,
  }
  await call('PATCH', `projects/${made.id}/criteria/`, { values }, String(made.etag))
  return made
}

/** The calculation is done in the background; its event follows when it is completed. */
async function calculation(call: Call): Promise<Made> {
  const { id } = await completeProject(call)
  return call('POST', `projects/${id}/match-calculations/`)
}

/** An application whose contract has a question of a type, if that is asked for. */
async function intake(call: Call, type?: string): Promise<Made> {
  const contract =
    type === undefined
      ? await firstOf(call, 'contracts/?kind=client_intake&page_size=1')
      : await contractAsking(call, type)
  if (!contract)
    throw new CommandError('The Portal has no contract for client intake. Publish one with: portico contract publish')
  const { id } = await business(call)
  return call('POST', 'client-intake-applications/', { business_id: id, contract_id: contract.id })
}

async function contractAsking(call: Call, type: string): Promise<{ id: string } | undefined> {
  const { items } = await call('GET', 'contracts/?kind=client_intake&page_size=100')
  // safe because the API lists contracts in this form
  for (const { id } of (items ?? []) as { id: string }[]) {
    const { questions } = await call('GET', `contracts/${id}/`)
    if ((questions as { type: string }[]).some((one) => one.type === type)) return { id }
  }
  throw new CommandError(`No contract for client intake of the Portal has a question of the type ${type}.`)
}

/** An application of the Portal to itself. */
async function application(call: Call): Promise<Made> {
  const { id } = await deal(call)
  return call('POST', 'deal-applications/', { deal_id: id })
}

async function ping(call: Call): Promise<Made> {
  const webhook = await firstOf(call, 'webhooks/?state=active&page_size=1')
  if (!webhook) throw new CommandError('The Portal has no active webhook. Create and verify one first.')
  return call('POST', `webhooks/${webhook.id}/test/`)
}

async function firstOf(call: Call, path: string): Promise<{ id: string } | undefined> {
  const { items } = await call('GET', path)
  // safe because the API lists records in this form
  const [first] = (items ?? []) as { id: string }[]
  return first
}

/** Takes steps on a record, each on the version that the one before has left. */
async function after(call: Call, made: Promise<Made>, path: string, ...steps: [rest: string, body?: unknown][]) {
  let record = await made
  for (const [rest, body] of steps) {
    const method = rest === '' ? 'PATCH' : 'POST'
    record = await call(method, `${path}/${record.id}/${rest}`, body, String(record.etag))
  }
  return record
}

/** A submitted application of a client. */
async function submittedIntake(call: Call): Promise<Made> {
  const { id } = await intake(call)
  const path = `client-intake-applications/${id}/`
  const { etag } = await answerAll(call, path)
  return call('POST', `${path}submit/`, undefined, String(etag))
}

/** A submitted application of the Portal to itself: it is sender and recipient. */
async function submittedApplication(call: Call): Promise<Made> {
  const { id } = await application(call)
  const path = `deal-applications/${id}/`
  const { etag } = await answerAll(call, path)
  return call('POST', `${path}submit/`, undefined, String(etag))
}

/** What a reviewer or recipient asks about: any question will do. */
async function someQuestion(call: Call, { contract_url }: Made): Promise<string> {
  const { questions } = await call('GET', String(contract_url).replace(/^.*?\/v1\//, ''))
  // safe because the API shows contracts in this form
  const asked = (questions as { key: string; type: string }[]).find(({ type }) => !/^(display|group|file)$/.test(type))
  if (!asked)
    throw new CommandError('The contract of the Portal has no question to ask about. Use the API for this event.')
  return asked.key
}

/** An application that its reviewer or recipient has asked something about. */
async function asked(call: Call, made: Promise<Made>, path: string, rest: string): Promise<Made> {
  const record = await made
  const question_keys = [await someQuestion(call, record)]
  return after(call, Promise.resolve(record), path, [rest, { message: 'This is a test.', question_keys }])
}

async function offered(call: Call, made: Promise<Made>): Promise<{ id: unknown; path: string; offer: Made }> {
  const { id } = await made
  const path = `deal-applications/${id}/`
  const terms = { kind: 'final', amount: { amount: '25000.00', currency: 'USD' } }
  const offer = await call('POST', `${path}offers/`, terms, await etagOf(call, path))
  return { id, path, offer }
}

async function onOffer(call: Call, verb: string): Promise<{ id: unknown; path: string; offer: Made }> {
  const { id, path, offer } = await offered(call, submittedApplication(call))
  const answered = await call('POST', `${path}offers/${offer.id}/${verb}/`, {}, await etagOf(call, path))
  return { id, path, offer: { ...offer, ...answered } }
}

async function etagOf(call: Call, path: string): Promise<string> {
  return String((await call('GET', path)).etag)
}

async function funded(call: Call): Promise<Made> {
  const { path } = await onOffer(call, 'accept')
  // Yesterday: where the recipient is, today may not have begun.
  const funded_on = new Date(Date.now() - day).toISOString().slice(0, 10)
  const body = { amount: { amount: '25000.00', currency: 'USD' }, funded_on }
  return call('POST', `${path}fund/`, body, await etagOf(call, path))
}

async function autofill(call: Call, made: Promise<Made>, path: string): Promise<Made> {
  const { id } = await made
  return call('POST', `${path}/${id}/autofill/`, {})
}

/** Autofill with nothing but a document that cannot be read. */
async function failingAutofill(call: Call, made: Promise<Made>, path: string): Promise<Made> {
  const { id } = await made
  await uploadFile(call, `${path}/${id}/`, { content: 'broken' })
  return call('POST', `${path}/${id}/autofill/`, { sources: ['documents'] })
}

async function file(call: Call, content: 'readable' | 'no_pdf'): Promise<Made> {
  const { id } = await intake(call, 'file')
  return uploadFile(call, `client-intake-applications/${id}/`, { content })
}

/** Sends a challenge. Whether the receiver echoes it is another matter. */
async function challenge(call: Call): Promise<Made> {
  const webhook = await firstOf(call, 'webhooks/?page_size=1')
  if (!webhook) throw new CommandError('The Portal has no webhook. Create one first.')
  await call('POST', `webhooks/${webhook.id}/verify/`, {}).catch((error) => {
    if (!(error instanceof CallError && error.message.includes('webhook_verification_failed'))) throw error
  })
  return call('GET', `webhooks/${webhook.id}/`)
}

const intakes = 'client-intake-applications'
const applications = 'deal-applications'

export const recipes: Readonly<Record<string, (call: Call) => Promise<Made>>> = {
  'business.created': business,
  'business.updated': (call) => after(call, business(call), 'businesses', ['', { trading_name: 'Test' }]),
  'business.archived': (call) => after(call, business(call), 'businesses', ['archive/']),
  'business.restored': (call) => after(call, business(call), 'businesses', ['archive/'], ['restore/']),
  'project.created': project,
  'project.criteria_completed': completeProject,
  'match_calculation.completed': calculation,
  'client_intake_application.created': (call) => intake(call),
  'client_intake_application.submitted': submittedIntake,
  'client_intake_application.returned': (call) => asked(call, submittedIntake(call), intakes, 'return/'),
  'client_intake_application.accepted': (call) => after(call, submittedIntake(call), intakes, ['accept/', {}]),
  'client_intake_application.rejected': (call) =>
    after(call, submittedIntake(call), intakes, ['reject/', { message: 'This is a test.' }]),
  'client_intake_application.withdrawn': (call) => after(call, intake(call), intakes, ['withdraw/']),
  'client_intake_application.autofill_completed': (call) => autofill(call, intake(call), intakes),
  'client_intake_application.autofill_failed': (call) => failingAutofill(call, intake(call, 'file'), intakes),
  'file.available': (call) => file(call, 'readable'),
  'file.rejected': (call) => file(call, 'no_pdf'),
  'deal_application.created': application,
  'deal_application.submitted': submittedApplication,
  'deal_application.acknowledged': (call) => after(call, submittedApplication(call), applications, ['acknowledge/']),
  'deal_application.information_requested': (call) =>
    asked(call, submittedApplication(call), applications, 'request-information/'),
  'deal_application.responded': (call) =>
    after(call, asked(call, submittedApplication(call), applications, 'request-information/'), applications, [
      'respond/',
    ]),
  'deal_application.returned': (call) => asked(call, submittedApplication(call), applications, 'return/'),
  'deal_application.declined': (call) =>
    after(call, submittedApplication(call), applications, ['decline/', { reason_codes: ['cash_flow'] }]),
  'deal_application.withdrawn': (call) => after(call, application(call), applications, ['withdraw/']),
  'deal_application.accepted': async (call) => {
    const { path } = await onOffer(call, 'accept')
    return call('GET', path)
  },
  'deal_application.funded': funded,
  'deal_application.cancelled': (call) => after(call, submittedApplication(call), applications, ['cancel/']),
  'deal_application.autofill_completed': (call) => autofill(call, application(call), applications),
  'deal_application.autofill_failed': (call) => failingAutofill(call, application(call), applications),
  'offer.received': async (call) => (await offered(call, submittedApplication(call))).offer,
  'offer.superseded': async (call) => {
    const { id, offer } = await offered(call, submittedApplication(call))
    await offered(call, Promise.resolve({ id }))
    return offer
  },
  'offer.accepted': async (call) => (await onOffer(call, 'accept')).offer,
  'offer.declined': async (call) => (await onOffer(call, 'decline')).offer,
  'offer.withdrawn': async (call) => (await onOffer(call, 'withdraw')).offer,
  'deal.created': deal,
  'deal.updated': (call) => after(call, deal(call), 'deals', ['', { title: 'Test' }]),
  'deal.stage_changed': (call) => after(call, deal(call), 'deals', ['stage/', { stage: 'qualifying' }]),
  'deal.on_hold': (call) => after(call, deal(call), 'deals', ['hold/']),
  'deal.resumed': (call) => after(call, deal(call), 'deals', ['hold/'], ['resume/']),
  'deal.won': (call) => after(call, deal(call), 'deals', ['win/', {}]),
  'deal.lost': (call) => after(call, deal(call), 'deals', ['lose/', { reason_code: 'client_unresponsive' }]),
  'deal.withdrawn': (call) => after(call, deal(call), 'deals', ['withdraw/']),
  'deal.reopened': (call) =>
    after(call, deal(call), 'deals', ['lose/', { reason_code: 'client_unresponsive' }], ['reopen/']),
  'webhook.ping': ping,
  'webhook.verification': challenge,
}

const timeMustPass = 'happens when a deadline passes. No request can cause it'
const onlyErasing = 'happens when an operator erases a business with `portico business erase`. No request can cause it'

/** Why the other events cannot be caused by this command. */
export const noRecipes: Readonly<Record<string, string>> = {
  'business.erased': onlyErasing,
  'deal.business_erased': onlyErasing,
  'deal.erased': onlyErasing,
  'client_intake_application.expired': timeMustPass,
  'deal_application.expired': timeMustPass,
  'deal.expired': timeMustPass,
  'offer.expired': timeMustPass,
  'match_calculation.failed': 'happens when Portico itself fails to do its work. No request can cause it',
  'match.found':
    'happens when a recipient publishes a programme that a calculated project is eligible for. Publish one with POST /v1/funding-programs/ or `portico program import`',
  'webhook.disabled':
    'happens when an endpoint fails for 5 days or responds with status 410. Respond with 410 to cause it',
}

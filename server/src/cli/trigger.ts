// Makes a real event: by doing what it tells of, through the API, with records that say that they are for a test.
import type { Command } from 'commander'
import { type ApiOptions, apiOptions, type Call, callerOf } from './api-client.ts'
import { CommandError, type OutputOptions, print } from './output.ts'
import { knownTypes, unknownType } from './webhooks.ts'

type Made = Record<string, unknown>

export function triggerCommand(program: Command): void {
  const trigger = program
    .command('trigger <event>')
    .description(`Cause a real event in a Portal, with test records. Events: ${Object.keys(recipes).join(', ')}.`)
    .option('--json', 'print JSON')
  for (const option of apiOptions()) trigger.addOption(option)
  trigger.action(async (event: string, options: OutputOptions & ApiOptions) => {
    const call = callerOf(options)
    const recipe = recipes[event]
    if (!recipe) throw await noRecipe(call, event)
    const { id, url, self_url } = await recipe(call)
    print(options, { event, id, url: self_url ?? url }, `Triggered ${event} with ${id}: ${self_url ?? url}`)
  })
}

async function noRecipe(call: Call, event: string): Promise<CommandError> {
  const known = await knownTypes(call)
  if (!known.includes(event)) return unknownType(event, [...known, ...Object.keys(recipes)])
  return new CommandError(
    `${event} needs records of your own, so this command cannot cause it. Use the API. Events it can cause: ${Object.keys(recipes).join(', ')}.`,
  )
}

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

async function intake(call: Call): Promise<Made> {
  const contract = await firstOf(call, 'contracts/?kind=client_intake&page_size=1')
  if (!contract)
    throw new CommandError('The Portal has no contract for client intake. Publish one with: portico contract publish')
  const { id } = await business(call)
  return call('POST', 'client-intake-applications/', { business_id: id, contract_id: contract.id })
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

const recipes: Readonly<Record<string, (call: Call) => Promise<Made>>> = {
  'business.created': business,
  'business.updated': (call) => after(call, business(call), 'businesses', ['', { trading_name: 'Test' }]),
  'business.archived': (call) => after(call, business(call), 'businesses', ['archive/']),
  'business.restored': (call) => after(call, business(call), 'businesses', ['archive/'], ['restore/']),
  'project.created': project,
  'project.criteria_completed': completeProject,
  'match_calculation.completed': calculation,
  'client_intake_application.created': intake,
  'client_intake_application.withdrawn': (call) =>
    after(call, intake(call), 'client-intake-applications', ['withdraw/']),
  'deal_application.created': application,
  'deal_application.withdrawn': (call) => after(call, application(call), 'deal-applications', ['withdraw/']),
  'deal.created': deal,
  'deal.stage_changed': (call) => after(call, deal(call), 'deals', ['stage/', { stage: 'qualifying' }]),
  'deal.on_hold': (call) => after(call, deal(call), 'deals', ['hold/']),
  'deal.resumed': (call) => after(call, deal(call), 'deals', ['hold/'], ['resume/']),
  'deal.won': (call) => after(call, deal(call), 'deals', ['win/', {}]),
  'deal.lost': (call) => after(call, deal(call), 'deals', ['lose/', { reason_code: 'client_unresponsive' }]),
  'deal.withdrawn': (call) => after(call, deal(call), 'deals', ['withdraw/']),
  'deal.reopened': (call) =>
    after(call, deal(call), 'deals', ['lose/', { reason_code: 'client_unresponsive' }], ['reopen/']),
  'webhook.ping': ping,
}

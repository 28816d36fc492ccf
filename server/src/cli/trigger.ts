// Makes a real event: by doing what it tells of, through the API, with records that say that they are for a test.
import type { Command } from 'commander'
import { type ApiOptions, apiOptions, type Call, callerOf } from './api-client.ts'
import { CommandError, type OutputOptions, print } from './output.ts'

type Made = Record<string, unknown>

export function triggerCommand(program: Command): void {
  const trigger = program
    .command('trigger <event>')
    .description(`Make a real event in a Portal, with test records. Events: ${Object.keys(recipes).join(', ')}.`)
    .option('--json', 'print JSON')
  for (const option of apiOptions()) trigger.addOption(option)
  trigger.action(async (event: string, options: OutputOptions & ApiOptions) => {
    const recipe = recipes[event]
    if (!recipe)
      throw new CommandError(`There is no recipe for the event ${event}. Events: ${Object.keys(recipes).join(', ')}.`)
    const { id, url } = await recipe(callerOf(options))
    print(options, { event, id, url }, `Triggered ${event} with ${id}.`)
  })
}

async function business(call: Call): Promise<Made> {
  const { items } = await call('GET', 'lead-sources/?is_active=true&page_size=1')
  // safe because the API lists lead sources in this form
  const [leadSource] = (items ?? []) as { id: string }[]
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
  'deal.created': deal,
  'deal.stage_changed': (call) => after(call, deal(call), 'deals', ['stage/', { stage: 'qualifying' }]),
  'deal.on_hold': (call) => after(call, deal(call), 'deals', ['hold/']),
  'deal.resumed': (call) => after(call, deal(call), 'deals', ['hold/'], ['resume/']),
  'deal.won': (call) => after(call, deal(call), 'deals', ['win/', {}]),
  'deal.lost': (call) => after(call, deal(call), 'deals', ['lose/', { reason_code: 'client_unresponsive' }]),
  'deal.withdrawn': (call) => after(call, deal(call), 'deals', ['withdraw/']),
  'deal.reopened': (call) =>
    after(call, deal(call), 'deals', ['lose/', { reason_code: 'client_unresponsive' }], ['reopen/']),
}

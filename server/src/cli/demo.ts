import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { archiveBusiness, createBusiness, createLeadSource } from '../areas/businesses/commands.ts'
import type { BusinessRow } from '../areas/businesses/queries.ts'
import { publishContract } from '../building-blocks/contracts/commands.ts'
import { createKey, createPortal } from '../building-blocks/portals/commands.ts'
import { findPortal, listPortals } from '../building-blocks/portals/queries.ts'
import { isoTime } from '../platform/clock.ts'
import type { Caller, Context } from '../platform/context.ts'
import type { Tx } from '../platform/database/database.ts'
import { claimDatabase } from '../platform/deployment.ts'
import { createDemoApplications, demoEnquiry } from './demo-applications.ts'
import demoContract from './demo-contract.json' with { type: 'json' }
import { demoBusinesses, demoLeadSources, demoPortalName } from './demo-data.ts'
import { createDemoDeals, createDemoSenders, finishDemoAutofill } from './demo-deals.ts'
import { createDemoProjects, finishDemoCalculations } from './demo-projects.ts'
import { createDemoRecipients } from './demo-recipients.ts'
import { daysAgo } from './demo-time.ts'
import { createDemoWebhooks } from './demo-webhooks.ts'
import { CommandError, type OutputOptions, print, progressBar } from './output.ts'
import { makeDataDirectory, withContext } from './session.ts'
import { accessFileName, type DemoAccess, welcome } from './welcome.ts'

export function demoCommand(program: Command): void {
  program
    .command('demo')
    .description('Create a demo Portal with sample data and an API key that has all grants.')
    .option('--json', 'print JSON')
    .action((options: OutputOptions) =>
      withContext(
        async (context) => {
          const access = await createDemo(context)
          print(options, access, welcome(context.config, access))
        },
        { mayCreate: true },
      ),
    )
}

/** The demo of an earlier start, or a new one if there is no Portal yet; otherwise undefined. */
export async function ensureDemo(context: Context): Promise<DemoAccess | undefined> {
  if ((await listPortals(context.database.read)).length === 0) return createDemo(context)
  return wholeDemo(context)
}

/** The demo that was created last; undefined when there is none in this database. One that was interrupted is refused. */
export async function wholeDemo(context: Context): Promise<DemoAccess | undefined> {
  const { read } = context.database
  // The files may be left over from another database.
  const [access, draft] = [readAccess(context), readAccess(context, unfinished)]
  if (access && (await findPortal(read, access.portal_id))) return access
  if (draft && (await findPortal(read, draft.portal_id)))
    throw new CommandError(
      'The demo Portal is incomplete, because its creation was interrupted. Create another one with: portico demo',
    )
  return undefined
}

/**
 * In several steps, because some read what others have committed. An interrupted one would look like a Portal somebody
 * works with: so a file of its own names it from the first step to the last. That of an earlier demo, which has the only
 * copy of its key, is replaced at the end.
 */
async function createDemo(context: Context): Promise<DemoAccess> {
  const { database, config } = context
  if (config.environment === 'production') {
    throw new CommandError(
      'The demo Portal cannot be created in production. Set PORTICO_ENVIRONMENT=staging and use a separate database.',
    )
  }
  makeDataDirectory(config)
  await claimDatabase(context)
  const now: Caller = { context, portal_id: '', request_id: null }
  const { access, parts } = await database.transaction(async (tx) => {
    const today = isoTime(context.clock.now()).slice(0, 10)
    const { id: portal_id, name: portal_name } = await createPortal(tx, daysAgo(now, 150).context, {
      name: demoPortalName,
    })
    const caller: Caller = { ...now, portal_id }
    const before = daysAgo(caller, 140)
    const leadSourceIds: string[] = []
    for (const leadSource of demoLeadSources) leadSourceIds.push(await createLeadSource(tx, before, leadSource))
    await publishContract(tx, before, demoContract)
    const created = await createBusinesses(tx, caller, demoBusinesses(leadSourceIds, today))
    const { id: enquiryId } = await publishContract(tx, before, demoEnquiry)
    await createDemoApplications(tx, caller, created, enquiryId)
    await createDemoRecipients(tx, caller, today)
    const senders = await createDemoSenders(tx, caller)
    const projects = await createDemoProjects(tx, caller, { businesses: created, enquiryId, today })
    const [project_id] = projects.values()
    const { key } = await createKey(tx, context, { portal_id, name: 'Demo', grants: ['all'] })
    const access: DemoAccess = { portal_id, portal_name, key, ...(project_id && { project_id }) }
    writeAccess(context, access, unfinished)
    const businesses = new Map(created.map((business) => [business.legal_name, business]))
    return { access, parts: { ...senders, businesses, projects } }
  })
  const caller: Caller = { ...now, portal_id: access.portal_id }
  // Matching reads the database in a thread of its own, so it begins when everything is written.
  await finishDemoCalculations(caller)
  await database.transaction((tx) => createDemoDeals(tx, caller, parts))
  await finishDemoAutofill(caller)
  await createDemoWebhooks(caller)
  writeAccess(context, access)
  rmSync(accessFile(context, unfinished), { force: true })
  return access
}

async function createBusinesses(
  tx: Tx,
  caller: Caller,
  businesses: ReturnType<typeof demoBusinesses>,
): Promise<BusinessRow[]> {
  const created: BusinessRow[] = []
  const showProgress = progressBar('Demo Portal', businesses.length)
  for (const [index, { archived, known_for_days, ...input }] of businesses.entries()) {
    const business = await createBusiness(tx, daysAgo(caller, known_for_days), input)
    created.push(business)
    if (archived) await archiveBusiness(tx, caller, { business_id: business.id, ifMatch: null })
    showProgress(index + 1)
  }
  return created
}

const unfinished = '.unfinished'

/**
 * The one key that is kept readable, so that the next start can show it again; readable by this user only. All at once:
 * whoever reads the file finds what was there before or this.
 */
function writeAccess(context: Context, access: DemoAccess, suffix = ''): void {
  const file = accessFile(context, suffix)
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(access, null, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(draft, file)
}

function readAccess(context: Context, suffix = ''): DemoAccess | undefined {
  try {
    return JSON.parse(readFileSync(accessFile(context, suffix), 'utf8'))
  } catch {
    return undefined // no demo was created here
  }
}

function accessFile({ config }: Context, suffix: string): string {
  return join(config.data_dir, `${accessFileName}${suffix}`)
}

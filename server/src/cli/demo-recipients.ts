// Made-up recipients with the funding programmes that their kind usually has. The files hold programmes in the form of
// `portico program import`, except that dates may be told from the day of the demo, so that it never looks old.

import { createProgram, moveProgram } from '../areas/funding-recommendations/programs/commands.ts'
import { ProgramRow } from '../areas/funding-recommendations/programs/schema.ts'
import { publishContract } from '../building-blocks/contracts/commands.ts'
import { resolveDay } from '../building-blocks/contracts/relative-days.ts'
import { createPortal } from '../building-blocks/portals/commands.ts'
import { listPortals } from '../building-blocks/portals/queries.ts'
import { publishRecipient } from '../building-blocks/recipients/commands.ts'
import type { RecipientProfile } from '../building-blocks/recipients/schema.ts'
import type { Caller } from '../platform/context.ts'
import type { Tx } from '../platform/database/database.ts'
import { checkAgainst } from '../platform/protocol/validation.ts'
import brackenfoldContract from './demo-contracts/brackenfold-equipment-finance.json' with { type: 'json' }
import coppervaleContract from './demo-contracts/coppervale-grant.json' with { type: 'json' }
import lanternlightContract from './demo-contracts/lanternlight-microloan.json' with { type: 'json' }
import saltmarshContract from './demo-contracts/saltmarsh-business-loan.json' with { type: 'json' }
import brackenfold from './demo-recipients/brackenfold-equipment-finance.json' with { type: 'json' }
import cobblegate from './demo-recipients/cobblegate-property-lending.json' with { type: 'json' }
import coppervale from './demo-recipients/coppervale-foundation.json' with { type: 'json' }
import farwater from './demo-recipients/farwater-export-bank.json' with { type: 'json' }
import fennimore from './demo-recipients/fennimore-wray-ventures.json' with { type: 'json' }
import rabental from './demo-recipients/foerderbank-rabental.json' with { type: 'json' }
import lanternlight from './demo-recipients/lanternlight-microfund.json' with { type: 'json' }
import oakenshaw from './demo-recipients/oakenshaw-receivables.json' with { type: 'json' }
import ownPrograms from './demo-recipients/own-programs.json' with { type: 'json' }
import quillfeather from './demo-recipients/quillfeather-business-credit.json' with { type: 'json' }
import saltmarsh from './demo-recipients/saltmarsh-community-bank.json' with { type: 'json' }
import tallgrass from './demo-recipients/tallgrass-development-authority.json' with { type: 'json' }
import thistlewick from './demo-recipients/thistlewick-finance.json' with { type: 'json' }
import { daysAgo } from './demo-time.ts'

const everybodys = [
  saltmarsh,
  quillfeather,
  brackenfold,
  lanternlight,
  tallgrass,
  coppervale,
  fennimore,
  farwater,
  thistlewick,
  rabental,
  cobblegate,
]
/** Seen by the demo Portal only. */
const invited = [oakenshaw]

/** What some of them ask in a deal application, by their names. */
export const demoRecipientContracts: ReadonlyMap<string, object> = new Map<string, object>([
  [saltmarsh.profile.name, saltmarshContract],
  [brackenfold.profile.name, brackenfoldContract],
  [lanternlight.profile.name, lanternlightContract],
  [coppervale.profile.name, coppervaleContract],
])

/** `demo` is the Portal that the recipients are there for; it has a few programmes of its own. */
export async function createDemoRecipients(tx: Tx, demo: Caller, today: string): Promise<void> {
  // A second demo sees those of the first, not everything twice.
  const existing = new Set((await listPortals(tx)).map(({ name }) => name))
  for (const { profile, programs } of everybodys)
    if (!existing.has(portalName(profile))) await createRecipient(tx, demo, today, profile, programs)
  for (const { profile, programs } of invited) {
    const invitation = { ...profile, visibility: 'invited', invitations: [demo.portal_id] }
    await createRecipient(tx, demo, today, invitation, programs)
  }
  await createPrograms(tx, demo, today, ownPrograms)
}

export function portalName({ name }: { name: string }): string {
  return `${name} (demo)`
}

async function createRecipient(
  tx: Tx,
  demo: Caller,
  today: string,
  profile: Omit<RecipientProfile, 'kind' | 'visibility'> & { kind: string },
  programs: readonly object[],
): Promise<void> {
  const before = daysAgo(demo, 150)
  const { id: portal_id } = await createPortal(tx, before.context, { name: portalName(profile) })
  const caller = { ...demo, portal_id }
  const contract = demoRecipientContracts.get(profile.name)
  const published = contract && (await publishContract(tx, { ...before, portal_id }, contract))
  const application_contract_id = published?.id ?? null
  // safe because publishing checks the profile
  await publishRecipient(tx, { ...before, portal_id }, { ...profile, application_contract_id } as RecipientProfile)
  await createPrograms(tx, caller, today, programs)
}

async function createPrograms(tx: Tx, caller: Caller, today: string, programs: readonly object[]): Promise<void> {
  for (const program of programs) {
    const { status, ...input } = rowOf(program, today)
    const isEnded = status === 'paused' || status === 'closed'
    const { id } = await createProgram(tx, caller, { ...input, status: isEnded ? 'open' : status })
    if (isEnded)
      await moveProgram(tx, caller, { program_id: id, ifMatch: null }, status === 'paused' ? 'pause' : 'close')
  }
}

const checkRow = checkAgainst(ProgramRow)

function rowOf(program: object, today: string): ProgramRow {
  const row = Object.fromEntries(
    Object.entries(program).map(([name, value]) => [
      name,
      name === 'opens_on' || name === 'closes_on' ? resolveDay(value, today) : value,
    ]),
  )
  const [problem] = checkRow(row)
  if (problem) throw new Error(`${row.external_reference}${problem.pointer}: ${problem.message}`)
  return row as ProgramRow // safe because it has just passed the schema
}

import { note } from '../../platform/audit/notes.ts'
import { isoTime } from '../../platform/clock.ts'
import type { Caller } from '../../platform/context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { checkAgainst } from '../../platform/protocol/validation.ts'
import { canonicalJson } from '../../platform/values/canonical-json.ts'
import { sortKey } from '../../platform/values/text-keys.ts'
import { findContract } from '../contracts/queries.ts'
import { AdministrationError, requirePortal } from '../portals/commands.ts'
import { findPortal } from '../portals/queries.ts'
import {
  ensureRecipient,
  findOwnRecipient,
  lockRecipient,
  moveCatalogue,
  type RecipientRow,
  replaceInvitations,
  updateRecipient,
} from './queries.ts'
import { RecipientProfile } from './schema.ts'

/**
 * Publishes the profile of the caller's Portal, or changes it. A profile is stated whole: what is left out has its
 * default. Only who can see it stays as it was, unless that is said.
 */
export async function publishRecipient(tx: Tx, caller: Caller, input: RecipientProfile): Promise<RecipientRow> {
  const { portal_id } = caller
  const wrong = checkProfile(input)
  if (wrong.length > 0) throw new AdministrationError(wrong.map(({ message }) => message).join('\n'))
  await requirePortal(tx, portal_id)
  await ensureRecipient(tx, portal_id)
  await lockRecipient(tx, portal_id)
  const before = await requireRecipient(tx, portal_id)

  const visibility = input.visibility ?? (before.is_published ? before.visibility : 'open')
  const problems = [
    ...(await contractProblems(tx, portal_id, input.application_contract_id)),
    ...(await invitationProblems(tx, visibility, input.invitations)),
  ]
  if (problems.length > 0) throw new AdministrationError(problems.join('\n'))

  const now = isoTime(caller.context.clock.now())
  // A profile that is open has no list of invitations, so that none is in force when it is no longer open.
  const invitations = visibility === 'open' ? [] : input.invitations
  if (invitations) await replaceInvitations(tx, portal_id, [...new Set(invitations)], now)

  const after = {
    is_published: true,
    name: input.name,
    name_sort: sortKey(input.name),
    kind: input.kind,
    description: input.description ?? null,
    website: input.website ?? null,
    countries: [...new Set(input.countries)],
    time_zone: input.time_zone ?? 'UTC',
    accepting_applications: input.accepting_applications ?? true,
    visibility,
    application_contract_id: input.application_contract_id ?? null,
  }
  const hasChanged = (names: readonly (keyof typeof after)[]) =>
    names.some((name) => canonicalJson(before[name]) !== canonicalJson(after[name]))
  // These decide which programmes others see and what their rules say.
  if (hasChanged(['is_published', 'visibility', 'countries', 'time_zone'])) await moveCatalogue(tx, portal_id)
  // safe because these are the names of its own members
  if (hasChanged(Object.keys(after) as (keyof typeof after)[])) {
    const countries = JSON.stringify(after.countries)
    await updateRecipient(tx, portal_id, { ...after, countries, version: before.version + 1, updated_at: now })
  }
  const published = await requireRecipient(tx, portal_id)
  const { id: resource_id, version } = published
  await note(tx, caller, { action: 'recipient.published', resource_id, version })
  return published
}

const checkProfile = checkAgainst(RecipientProfile)

async function contractProblems(tx: Tx, portalId: string, contractId: string | null | undefined): Promise<string[]> {
  if (!contractId) return []
  const contract = await findContract(tx, portalId, contractId)
  if (!contract)
    return [
      `Portal ${portalId} has no contract ${contractId}. To list its contracts: portico contract list --portal ${portalId}`,
    ]
  if (contract.kind !== applicationKind)
    return [
      `The contract of a recipient must have the kind ${applicationKind}; ${contractId} has the kind ${contract.kind}. Publish one with: portico contract publish FILE --portal ${portalId}`,
    ]
  return []
}

async function invitationProblems(
  tx: Tx,
  visibility: RecipientRow['visibility'],
  invitations: readonly string[] = [],
): Promise<string[]> {
  if (visibility === 'open' && invitations.length > 0)
    return ['Every Portal can see an open profile. To show it to invited Portals only, use: --visibility invited']
  const problems: string[] = []
  for (const id of new Set(invitations)) {
    if (!(await findPortal(tx, id)))
      problems.push(`Cannot invite ${id}: this Portal does not exist. To list all Portals: portico portal list`)
  }
  return problems
}

async function requireRecipient(tx: Tx, portalId: string): Promise<RecipientRow> {
  const row = await findOwnRecipient(tx, portalId)
  if (!row) throw new Error(`Portal ${portalId} has no recipient profile`)
  return row
}

const applicationKind = 'deal_application'

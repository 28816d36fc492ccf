// The second wall between Portals. Every session of Portico tells PostgreSQL whose rows it may see, and row-level security
// leaves out all others: a query that forgets its Portal finds what is its own, and nothing else.
//   a Portal's id   its rows, and those of others that it is a party to
//   *               every row: background work and the command line
//   (empty)         nothing: how each session of Portico begins
//   never told      every row: sessions of others with the same role, such as psql or a release that knows no wall
import { type Kysely, sql } from 'kysely'
import { primaryKeys } from './tables.ts'

export const wallSetting = 'portico.portal'
export const everyPortal = '*'

/** The setting as it is told to a session. */
export function told(scope: string): string {
  if (!/^([a-z0-9_]+|\*)$/.test(scope)) throw new Error('whose rows may be seen must be the id of a Portal')
  return `${wallSetting} = '${scope}'`
}

const reader = `current_setting('${wallSetting}', true)`
const somebody = `coalesce(${reader}, '${everyPortal}') <> ''`

/** What others than the owner of a row may see, and what they may also write. */
interface Opening {
  read?: string
  write?: string
  insert?: string
}

const ofSubmitted = (table: string): Opening => ({
  read: `exists (
    select 1 from deal_applications as application
    where application.portal_id = ${table}.portal_id and application.id = ${table}.application_id
      and application.first_submitted_at is not null
  )`,
})
const ofRecipient = (table: string): Opening => ({
  read: `exists (select 1 from recipients where recipients.portal_id = ${table}.portal_id)`,
})

/** A table that is not named here is its Portal's alone. A condition that asks another table sees it through the wall. */
const openings: Readonly<Record<string, Opening>> = {
  // Both parties of a deal work on the same rows.
  deals: { write: `recipient_portal_id = ${reader}` },
  received_deals: { write: `sender_portal_id = ${reader}` },
  deal_applications: { write: `recipient_portal_id = ${reader}` },
  received_deal_applications: { write: `sender_portal_id = ${reader}` },
  deal_disclosures: { write: `recipient_portal_id = ${reader}` },
  deal_timeline: {
    write: `exists (
      select 1 from deals where deals.portal_id = deal_timeline.portal_id and deals.id = deal_timeline.deal_id
    )`,
  },
  offers: {
    write: `exists (
      select 1 from deal_applications as application
      where application.portal_id = offers.portal_id and application.id = offers.application_id
    )`,
  },
  answers: ofSubmitted('answers'),
  answer_items: ofSubmitted('answer_items'),
  files: ofSubmitted('files'),
  submissions: ofSubmitted('submissions'),
  // A counter and nothing else: a new deal gets a number of both parties.
  deal_numbers: { write: somebody },
  // What a recipient shows.
  recipients: {
    read: `is_published and (visibility = 'open' or exists (
      select 1 from recipient_invitations as invitation
      where invitation.portal_id = recipients.portal_id and invitation.invited_portal_id = ${reader}
    ))`,
  },
  recipient_invitations: { read: `invited_portal_id = ${reader}` },
  funding_programs: ofRecipient('funding_programs'),
  funding_program_versions: ofRecipient('funding_program_versions'),
  contracts: {
    // An application that was begun goes on, though its recipient may not be seen any more.
    read: `${ofRecipient('contracts').read} or exists (
      select 1 from deal_applications as application
      where application.portal_id = ${reader} and application.contract_id = contracts.id
    )`,
  },
  portals: ofRecipient('portals'),
  // How many challenges a host was sent is counted, whoever asked for them.
  webhook_challenges: { write: `host <> '' and ${somebody}` },
  portal_settings: { read: `name = 'deal_stages' and ${somebody}` },
  // What happens to a deal is told to both parties, and may give both work.
  events: { insert: somebody },
  jobs: { insert: somebody },
}

/**
 * Tables of ours with a `portal_id` that the wall does not stand around: a policy is missing, or the owner is exempt from
 * them. Others that somebody keeps beside them are none of our business.
 */
export async function tablesOutsideWall<Tables>(db: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ name: string; is_forced: boolean; policies: string }>`
    select relname as name, relrowsecurity and relforcerowsecurity as is_forced,
      array_to_string(array(select polname from pg_catalog.pg_policy where polrelid = pg_class.oid), ' ') as policies
    from pg_catalog.pg_class
    inner join pg_catalog.pg_attribute on attrelid = pg_class.oid and attname = 'portal_id' and not attisdropped
    where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace
    order by relname
  `.execute(db)
  return rows.flatMap(({ name, is_forced, policies }) => {
    if (!(name in primaryKeys)) return []
    const there = new Set(policies.split(' '))
    return is_forced && Object.keys(policiesOf(name)).every((policy) => there.has(policy)) ? [] : [name]
  })
}

/** Puts the wall around tables that it does not stand around, at most so many. False when there are more. */
export async function raiseWall(db: Kysely<unknown>, most = Number.POSITIVE_INFINITY): Promise<boolean> {
  const names = await tablesOutsideWall(db)
  for (const name of names.slice(0, most)) await raiseAround(db, name)
  return names.length <= most
}

/** What each policy of a table allows, by its name. */
function policiesOf(name: string): Record<string, string> {
  const { read, write, insert } = openings[name] ?? {}
  return {
    portico_portal: `using (${oneOf([`portal_id = ${reader}`, everything, write])})`,
    ...(read && { portico_readers: `for select using (${oneOf([read])})` }),
    ...(insert && { portico_writers: `for insert with check (${oneOf([insert])})` }),
  }
}

async function raiseAround(db: Kysely<unknown>, name: string): Promise<void> {
  for (const [policy, what] of Object.entries(policiesOf(name))) {
    await sql.raw(`drop policy if exists ${policy} on ${name}`).execute(db)
    await sql.raw(`create policy ${policy} on ${name} ${what}`).execute(db)
  }
  await sql.raw(`alter table ${name} enable row level security, force row level security`).execute(db)
}

const everything = `coalesce(${reader}, '${everyPortal}') = '${everyPortal}'`

/**
 * Whether one of the conditions holds, said in a way that PostgreSQL takes for true of nearly every row. A plain `or` it
 * takes for true of few, and then plans every query for a fraction of the rows it will find.
 */
function oneOf(conditions: readonly (string | undefined)[]): string {
  const cases = conditions.filter((one) => one !== undefined).map((one) => `when ${one} then true`)
  return `(case ${cases.join(' ')} end) is not null`
}

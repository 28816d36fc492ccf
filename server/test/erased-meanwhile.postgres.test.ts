// What begins for a business at the moment at which it is erased. On SQLite one transaction writes at a time.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { archiveBusiness } from '../src/areas/businesses/commands.ts'
import { createIntake } from '../src/areas/client-intake/commands.ts'
import { createProject } from '../src/areas/funding-recommendations/projects/commands.ts'
import { completeErasure, type ErasureRequest, requestErasure } from '../src/building-blocks/peoples-data/commands.ts'
import type { Caller } from '../src/platform/context.ts'
import type { Tx } from '../src/platform/database/database.ts'
import { shortContractOf } from './fixtures.ts'
import { newPortal, startTestServer } from './harness.ts'
import { atLeisure } from './many-rows.ts'

const server = await startTestServer()
const { context } = server

test.each([
  [
    'client_intake_applications',
    async (tx: Tx, caller: Caller, business_id: string, contract_id: string) =>
      createIntake(tx, caller, { business_id, contract_id }),
  ],
  [
    'projects',
    (tx: Tx, caller: Caller, business_id: string) => createProject(tx, caller, { business_id, title: 'Begun' }),
  ],
] as const)(
  'one of the %s that is being created while its business is erased is erased with it',
  async (table, create) => {
    const portal = await newPortal(server)
    const { id: business_id } = (await portal.call('POST', 'businesses/', { body: portal.business() })).body
    const contract = await shortContractOf(portal)
    let erasing: Promise<unknown> | undefined
    await atLeisure(context, async (tx) => {
      await create(tx, { context, portal_id: portal.id, request_id: null }, business_id, contract.id)
      let isOver = false
      erasing = erase(business_id).finally(() => {
        isOver = true
      })
      await expect.poll(async () => isOver || (await isSomebodyWaiting())).toBe(true)
    })
    await erasing
    const rows = await context.database.read
      .selectFrom(table)
      .select('id')
      .where('portal_id', '=', portal.id)
      .where('business_id', '=', business_id)
      .execute()
    expect(rows).toEqual([])
    expect((await portal.call('GET', `businesses/${business_id}/`)).status).toBe(404)
  },
)

async function erase(business_id: string): Promise<void> {
  const archive: ErasureRequest['archive'] = async (tx, caller) =>
    void (await archiveBusiness(tx, caller, { business_id, ifMatch: null }))
  const scope = { recipients: false, funded: false }
  const erasure = await requestErasure(context, { business_id, scope, reason: null, archive })
  await completeErasure(context, erasure, { withdraw: async () => undefined })
}

async function isSomebodyWaiting(): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()
  `.execute(context.database.read)
  return rows.length > 0
}

// What an administrator does for recipients, with the built program.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newSecretKey } from './built-program.ts'
import { jsonHere, runHere } from './command-here.ts'
import { describeOnce, makeDatabase, type TestDatabase } from './harness.ts'
import shortContract from './intake-contract.json' with { type: 'json' }

let database: TestDatabase
let environment: Record<string, string>
let portal: string
let other: string

const run = (...args: string[]) => runHere(args, environment)
const json = (...args: string[]) => jsonHere(args, environment)
const bank = () => ['recipient', 'publish', '--portal', portal, '--name', 'Harbour Bank', '--kind', 'lender']
const listed = async (by: string) => json('recipient', 'list', '--portal', by)

beforeAll(async () => {
  database = await makeDatabase({ hasSchema: true })
  environment = { ...database.environment, PORTICO_SECRET_KEY: newSecretKey() }
  portal = (await json('portal', 'create', '--name', 'Harbour')).id
  other = (await json('portal', 'create', '--name', 'Client')).id
})
afterAll(() => database.remove())

describe('recipient', () => {
  test('publish makes a profile and changes it when it runs again; list shows what a Portal sees', async () => {
    const id = portal.replace('ptl_', 'rcp_')
    expect(await listed(other)).toMatchObject([{ name: 'Client', kind: 'own_portal' }])
    expect(await json(...bank(), '--country', 'US', 'CA')).toEqual({ id })
    expect(await listed(other)).toMatchObject([
      { name: 'Client', kind: 'own_portal' },
      { id, name: 'Harbour Bank', kind: 'lender', countries: ['US', 'CA'], accepting_applications: true },
    ])

    const file = join(database.environment.PORTICO_DATA_DIR ?? '', 'contract.json')
    writeFileSync(file, JSON.stringify({ ...shortContract, kind: 'deal_application' }))
    const contract = (await json('contract', 'publish', file, '--portal', portal)).id
    const described = ['--description', 'Loans.', '--website', 'https://bank.example.com', '--time-zone', 'Europe/Oslo']
    const options = ['--country', 'NO', '--country', 'SE', '--contract', contract, '--not-accepting', ...described]
    expect(await json(...bank(), ...options)).toEqual({ id })
    const [, changed] = await listed(other)
    expect(changed).toMatchObject({
      countries: ['NO', 'SE'],
      accepting_applications: false,
      description: 'Loans.',
      website: 'https://bank.example.com',
      time_zone: 'Europe/Oslo',
      application_contract_url: expect.stringContaining(contract),
    })
    expect((await run('recipient', 'list', '--portal', portal)).stdout).toMatch(
      /Harbour Bank +own_portal +NO SE +false/,
    )
  })

  test('only invited Portals see a profile that is published to them', async () => {
    const sees = async () => (await listed(other)).length === 2
    const hidden = [...bank(), '--country', 'US', '--visibility', 'invited']
    expect((await run(...hidden)).stdout).toContain('(Harbour Bank). Invited Portals can see it.')
    expect(await sees()).toBe(false)
    await json(...hidden, '--invite', other)
    expect(await sees()).toBe(true)
    await json(...bank(), '--country', 'US', '--invite-none')
    expect(await sees()).toBe(false)
    expect((await run(...bank(), '--country', 'US', '--visibility', 'open')).stdout).toContain(
      'Every Portal can see it.',
    )
    expect(await sees()).toBe(true)
  })
})

describeOnce('recipient', () => {
  test.each([
    [['--country', 'XX'], 'countries[0] must be an ISO 3166-1 country code'],
    [['--country', 'US', '--kind', 'own_portal'], "argument 'own_portal' is invalid"],
    [['--country', 'US', '--visibility', 'secret'], "argument 'secret' is invalid"],
    [['--country', 'US', '--time-zone', 'Mars/Base'], 'time_zone must be an IANA time zone such as Europe/Berlin'],
    [['--country', 'US', '--visibility', 'open', '--invite', `ptl_${'0'.repeat(26)}`], 'use: --visibility invited'],
    [['--country', 'US', '--contract', `ctr_${'0'.repeat(26)}`], 'To list its contracts: portico contract list'],
    [['--country', 'US', '--portal', 'ptl_x'], 'Portal ptl_x does not exist'],
    [[], "required option '--country <code...>' not specified"],
  ])('publish with %j fails with a sentence and without a stack', async (options, sentence) => {
    const { code, stderr } = await run(...bank(), ...options)
    expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)])
    expect(stderr).not.toMatch(/\n\s+at /)
  })

  test('list fails with a sentence for a Portal that does not exist', async () => {
    const { code, stderr } = await run('recipient', 'list', '--portal', 'ptl_x')
    expect([code, stderr]).toEqual([1, expect.stringContaining('Portal ptl_x does not exist')])
  })
})

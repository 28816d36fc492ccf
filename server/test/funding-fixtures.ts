// What tests of funding recommendations begin with: a recipient with programmes, and a project to match with them.
import { expect } from 'vitest'
import { publishRecipient } from '../src/building-blocks/recipients/commands.ts'
import { runDueJobs } from './due-jobs.ts'
import { newPortal, type TestPortal, type TestServer } from './harness.ts'

export const usd = (amount: string) => ({ amount, currency: 'USD' })

export const rule = (criterion: string, operator: string, value?: unknown, more: Record<string, unknown> = {}) => ({
  id: `${criterion}_${operator}`,
  criterion,
  operator,
  ...(value !== undefined && { value }),
  ...more,
})

/** A Portal that publishes itself as a recipient everybody sees. */
export async function newRecipient(
  server: TestServer,
  more: Partial<Parameters<typeof publishRecipient>[2]> = {},
): Promise<TestPortal & { recipient_id: string }> {
  const portal = await newPortal(server)
  const { id } = await server.context.database.transaction((tx) =>
    publishRecipient(tx, portal.caller, { name: 'Harbour Lending', kind: 'lender', countries: ['US'], ...more }),
  )
  return { ...portal, recipient_id: id }
}

export async function newProject(
  portal: TestPortal,
  values: Record<string, unknown> = {},
  business: Record<string, unknown> = {},
) {
  const { body: made } = await portal.call('POST', 'businesses/', { body: portal.business(business) })
  const { body: project } = await portal.call('POST', 'projects/', { body: { business_id: made.id } })
  await setCriteria(portal, project, {
    amount_requested: usd('80000.00'),
    use_of_funds: ['equipment'],
    ...values,
  })
  return (await portal.call('GET', project.url)).body
}

export async function setCriteria(
  portal: TestPortal,
  project: { criteria: { url: string } },
  values: Record<string, unknown>,
) {
  const { url } = project.criteria
  const headers = { 'if-match': (await portal.call('GET', url)).body.etag }
  const changed = await portal.call('PATCH', url, { body: { values }, headers })
  expect(changed.status, changed.text).toBe(200)
  return changed.body
}

/** Calculates matches to the end. */
export async function calculate(portal: TestPortal, project: { calculations_url: string }) {
  const started = await portal.call('POST', project.calculations_url)
  expect([started.status, started.headers.get('location')], started.text).toEqual([202, started.body.url])
  await runDueJobs(portal.caller.context, portal.id)
  const { body } = await portal.call('GET', started.body.url)
  expect(body.state, JSON.stringify(body)).toBe('completed')
  return body
}

export async function matchesOf(portal: TestPortal, project: { matches_url: string }, query = '') {
  const { status, text, body } = await portal.call('GET', `${project.matches_url}${query}`)
  expect(status, text).toBe(200)
  return body.items
}

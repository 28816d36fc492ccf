// What the traffic of the soak is made of: the whole chain from a new business to a deal that is funded.
import { hash } from 'node:crypto'
import intakeContract from '../test/intake-contract.json' with { type: 'json' }
import { newApplication, publishContract, type Send } from './applications.ts'
import type { Deployment } from './deployments.ts'
import { runPortico } from './programs.ts'

/** The Portal takes businesses in, and is the recipient of its own deals. */
export async function prepareChains(deployment: Deployment): Promise<void> {
  const { portal_id, environment } = deployment
  await publishContract(deployment, intakeContract)
  const { id } = await publishContract(deployment, { ...intakeContract, kind: 'deal_application', key: 'loan' })
  const profile = ['--name', 'Soak Bank', '--kind', 'lender', '--country', 'US', '--contract', id]
  await runPortico(['recipient', 'publish', '--portal', portal_id, ...profile], environment)
}

interface Chain {
  send: Send
  origin: string
  deployment: Deployment
  name: string
}

/** Every so many chains read the document that was uploaded: a process is started for each. */
const autofillEvery = 10

export async function runChain(chain: Chain, number: number): Promise<void> {
  const business_id = await takeIn(chain, number % autofillEvery === 0)
  await match(chain, business_id)
  await makeDeal(chain, business_id)
}

/** Intake with answers, a file that goes in and out, Autofill, and a look at lists. */
async function takeIn({ send, origin, deployment, name }: Chain, hasAutofill: boolean): Promise<string> {
  const application = await newApplication(send, deployment, name)
  const path = `client-intake-applications/${application.body.id}/`
  await act(send, path, 'PATCH', 'answers/', {
    answers: [{ question_key: 'website', value: 'https://soak.example.com' }],
  })
  const bytes = `Company name,${name} Trading Inc.\n`.padEnd(2000, '2026-03-02,1.00\n')
  const declared = { filename: 'a.csv', content_type: 'text/csv', size_bytes: bytes.length }
  const { body: file } = await act(send, path, 'POST', 'files/', {
    question_key: 'bank_statements',
    ...declared,
    sha256: hash('sha256', bytes, 'hex'),
  })
  await transfer(origin, file.upload, 'PUT', bytes)
  if (hasAutofill) await autofill(send, path)
  await send('GET', `${path}validation/`)
  await act(send, path, 'POST', 'submit/')
  const { body: download } = await send('POST', `${path}files/${file.id}/download/`)
  await transfer(origin, download, 'GET')
  await send('GET', 'businesses/?page_size=25')
  await send('GET', 'events/?page_size=50')
  return application.body.business_id ?? application.body.business?.id
}

async function autofill(send: Send, path: string): Promise<void> {
  let { body: run } = await send('POST', `${path}autofill/`, { mode: 'fill_empty' })
  for (let look = 0; look < 600 && !['completed', 'failed'].includes(run.state); look++) {
    await pause(200)
    run = (await send('GET', `${path}autofill-runs/${run.id}/`)).body
  }
  if (run.state !== 'completed') throw new Error(`an Autofill run is ${run.state}`)
}

async function match({ send }: Chain, business_id: string): Promise<void> {
  const { body: project } = await send('POST', 'projects/', { business_id })
  const values = { amount_requested: { amount: '80000.00', currency: 'USD' }, use_of_funds: ['equipment'] }
  const criteria = await send('GET', `projects/${project.id}/criteria/`)
  await send('PATCH', `projects/${project.id}/criteria/`, { values }, { 'if-match': criteria.etag })
  await send('POST', `projects/${project.id}/match-calculations/`)
  await send('GET', `projects/${project.id}/matches/`)
}

/** One Portal is both parties. */
async function makeDeal({ send, deployment }: Chain, business_id: string): Promise<void> {
  const amount = { amount: '75000.00', currency: 'USD' }
  const recipient_id = deployment.portal_id.replace('ptl_', 'rcp_')
  const { body: deal } = await send('POST', 'deals/', { business_id, recipient_id })
  const { body: application } = await send('POST', 'deal-applications/', { deal_id: deal.id })
  const path = `deal-applications/${application.id}/`
  await act(send, path, 'PUT', 'answers/legal_name/', { value: 'Soak Trading Inc.' })
  await act(send, path, 'POST', 'submit/')
  await act(send, path, 'POST', 'acknowledge/')
  const { body: offer } = await act(send, path, 'POST', 'offers/', { kind: 'final', amount })
  await act(send, path, 'POST', `offers/${offer.id}/accept/`)
  await act(send, path, 'POST', 'fund/', { amount, funded_on: new Date().toISOString().slice(0, 10) })
  await send('GET', `deals/${deal.id}/progress/`)
  await send('GET', 'deals/?state=open&page_size=25')
}

/** A write at the version that is there now. */
async function act(send: Send, path: string, method: string, rest: string, body?: object) {
  const { etag } = await send('GET', path)
  return send(method, `${path}${rest}`, body, { 'if-match': etag })
}

async function transfer(
  origin: string,
  { url, headers }: { url: string; headers: Record<string, string> },
  method: 'PUT' | 'GET',
  body?: string,
): Promise<void> {
  const response = await fetch(url.replace(/^https?:\/\/[^/]+/, origin), { method, headers, ...(body && { body }) })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${method} of a file was answered with ${response.status}`)
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

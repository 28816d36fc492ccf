// Client intake applications to measure on.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Deployment } from './deployments.ts'
import { runPortico } from './programs.ts'
import { typicalBusiness } from './seed.ts'

export async function publishContract(deployment: Deployment, draft: object): Promise<{ id: string }> {
  const file = join(deployment.environment.PORTICO_DATA_DIR ?? '', 'contract.json')
  writeFileSync(file, JSON.stringify(draft))
  return runPortico(['contract', 'publish', file, '--portal', deployment.portal_id], deployment.environment)
}

export type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Sent>
export interface Sent {
  // biome-ignore lint/suspicious/noExplicitAny: records of every form
  body: any
  etag: string
}

/** Calls the server as the Portal's integrator; whatever is not a success stops the measurement. */
export function createSend(origin: string, { key }: Deployment): Send {
  let count = 0
  return async (method, path, body, headers = {}) => {
    const response = await fetch(`${origin}/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(method === 'POST' && { 'idempotency-key': `bench-${process.pid}-${Date.now()}-${count++}` }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`)
    return { body: JSON.parse(text), etag: response.headers.get('etag') ?? '' }
  }
}

export async function newApplication(send: Send, { lead_source_id }: Deployment, name: string): Promise<Sent> {
  const business = await send('POST', 'businesses/', typicalBusiness(name, lead_source_id))
  return send('POST', 'client-intake-applications/', { business_id: business.body.id })
}

// What is asked of both sides of a comparison: reading, listing and creating businesses.
import type { Deployment } from './deployments.ts'
import type { Load } from './load.ts'
import { typicalBusiness } from './seed.ts'

export function readLoad({ key }: Deployment, ids: readonly string[]): Load {
  return {
    method: 'GET',
    // Spread over the table, so that no single row stays in every cache.
    paths: ids.filter((_, index) => index % 20 === 0).map((id) => `/v1/businesses/${id}/`),
    headers: { authorization: `Bearer ${key}` },
  }
}

export function listLoad({ key }: Deployment): Load {
  return {
    method: 'GET',
    paths: ['/v1/businesses/?page_size=25'],
    headers: { authorization: `Bearer ${key}` },
  }
}

export function createLoad({ key, lead_source_id }: Deployment): Load {
  return {
    method: 'POST',
    paths: ['/v1/businesses/'],
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': 'bench-{unique}',
    },
    body: JSON.stringify(typicalBusiness('{unique}', lead_source_id)),
  }
}

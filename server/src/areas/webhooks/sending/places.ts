// How many calls may be under way at once, so that no endpoint waits for another: each has a few places, each Portal has a
// few more. Endpoints that fail, and may hold each place until the deadline, get fewer, and all of them together leave
// most places to the others.

export interface Endpoint {
  portal_id: string
  webhook_id: string
}

const limits = {
  total: 256,
  portal: 32,
  endpoint: 16,
  /** All endpoints that fail or answer slowly, together, those of a Portal, and each of them. */
  failing: 96,
  failingOfPortal: 12,
  failingEndpoint: 4,
}

export function createPlaces() {
  const taken = new Map<string, number>()
  const count = (name: string, by: number) => {
    const next = (taken.get(name) ?? 0) + by
    if (next === 0) taken.delete(name)
    else taken.set(name, next)
  }
  const left = (limit: number, name: string) => limit - (taken.get(name) ?? 0)
  return {
    /** How many calls may begin now. */
    free({ portal_id, webhook_id }: Endpoint, isFailing: boolean): number {
      const places = [
        left(limits.total, ''),
        left(limits.portal, portal_id),
        left(isFailing ? limits.failingEndpoint : limits.endpoint, webhook_id),
      ]
      if (isFailing) places.push(left(limits.failing, 'failing'), left(limits.failingOfPortal, `failing ${portal_id}`))
      return Math.max(0, Math.min(...places))
    },
    /** Takes a place; whoever calls what is returned gives it back. */
    take({ portal_id, webhook_id }: Endpoint, isFailing: boolean): () => void {
      const names = ['', portal_id, webhook_id, ...(isFailing ? ['failing', `failing ${portal_id}`] : [])]
      for (const name of names) count(name, 1)
      return () => {
        for (const name of names) count(name, -1)
      }
    },
  }
}

/** Enough for an endpoint that answers at once: while these are called, the next are read. */
export const claimedAhead = 4 * limits.endpoint
/** From here on more are read, so that no place stays empty meanwhile. */
export const fewWaiting = limits.endpoint

// How much memory the bodies of requests may take, from the moment they may arrive until they are answered and nobody
// works with them: hundreds of requests can wait with a megabyte each. A Portal may take half of what the others leave, so there is always room for
// somebody else. Small bodies are not counted: the number of requests bounds them.
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { bodyLimitBytes } from './request-line.ts'

interface Bodies {
  /** Whether there is room for the body of this request; if so, it is taken until the response has ended. */
  hold(portalId: string, headers: IncomingHttpHeaders, response: ServerResponse): boolean
  /** How large the body turned out to be. If it counts, its room stays taken until it is let go, too. */
  arrived(response: ServerResponse, bytes: number): boolean
  letGo(response: ServerResponse): void
  readonly heldBytes: number
}

export function createBodies(mostBytes = 256 * 1024 * 1024): Bodies {
  const byPortal = new Map<string, number>()
  const held = new WeakMap<ServerResponse, { portalId: string; bytes: number; isInUse: boolean }>()
  let heldBytes = 0

  const add = (portalId: string, bytes: number): void => {
    heldBytes += bytes
    const own = (byPortal.get(portalId) ?? 0) + bytes
    if (own > 0) byPortal.set(portalId, own)
    else byPortal.delete(portalId)
  }

  return {
    hold(portalId, headers, response) {
      // One that does not say its length may be as long as any.
      const bytes = headers['transfer-encoding'] === undefined ? Number(headers['content-length']) : bodyLimitBytes
      // Whoever has left meanwhile sends nothing more.
      if (!(bytes > smallBytes) || response.destroyed) return true
      if ((byPortal.get(portalId) ?? 0) + bytes > mostBytes - heldBytes) return false
      add(portalId, bytes)
      const one = { portalId, bytes, isInUse: false }
      held.set(response, one)
      response.once('close', () => {
        if (!one.isInUse) add(portalId, -one.bytes)
      })
      return true
    },
    arrived(response, bytes) {
      const one = held.get(response)
      if (!one || response.destroyed) return false
      add(one.portalId, bytes - one.bytes)
      Object.assign(one, { bytes, isInUse: true })
      return true
    },
    letGo(response) {
      const one = held.get(response)
      if (!one?.isInUse) return
      one.isInUse = false
      if (response.destroyed) add(one.portalId, -one.bytes)
    },
    get heldBytes() {
      return heldBytes
    },
  }
}

const smallBytes = 16 * 1024

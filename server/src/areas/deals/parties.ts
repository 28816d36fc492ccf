// Who a Portal is in a deal, and which version of it that party sees. Each party has notes of its own on a deal, so what
// one of them notes must not move the other's version.
import type { Party } from './states.ts'

/** In a deal for the own Portal, the one Portal is both parties. */
export type Role = 'sender' | 'recipient' | 'both'

export const partiesOf: Readonly<Record<Role, readonly Party[]>> = {
  sender: ['sender'],
  recipient: ['recipient'],
  both: ['sender', 'recipient'],
}

/** What the recipient's view of a record is called in its ETag. */
export const receivedView = 'received'

export function roleOf(
  { portal_id, recipient_portal_id }: { portal_id: string; recipient_portal_id: string },
  viewer: string,
): Role {
  if (portal_id === recipient_portal_id) return 'both'
  return portal_id === viewer ? 'sender' : 'recipient'
}

/** Those who know of a record: the sender, and the recipient once it was shared. */
export function audienceOf(
  { portal_id, recipient_portal_id }: { portal_id: string; recipient_portal_id: string },
  isShared = true,
): readonly string[] {
  return isShared ? [portal_id, recipient_portal_id] : [portal_id]
}

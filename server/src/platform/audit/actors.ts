// Who is behind a change, as one text: `<kind>:<id>`.
import type { Caller, Context } from '../context.ts'

/** The kinds that an entry knows beside those of an actor: what a Portal is not told, and what nobody knows. */
export const actorKinds = ['api_key', 'command_line', 'job', 'other_portal', 'unknown'] as const
type ActorKind = (typeof actorKinds)[number]

/** Of a server: what neither a key nor a job has done was not done by whoever started the process either. */
export const unknownActor: Context['actor'] = { kind: 'unknown', id: '' }

/** As the Portal may know it: keys and users of another Portal are nobody else's business, jobs belong to all. */
export function actorText({ context, portal_id, key_id }: Caller, toldTo: string = portal_id): string {
  const { kind, id } = context.actor
  if (portal_id !== toldTo && (key_id !== undefined || kind !== 'job')) return 'other_portal:'
  return key_id === undefined ? `${kind}:${id}` : `api_key:${key_id}`
}

/** Null is what a release without an audit log has written. */
export function readActor(text: string | null): { kind: ActorKind; id: string | null } {
  const [kind = '', ...rest] = (text ?? '').split(':')
  const known = actorKinds.find((one) => one === kind)
  return { kind: known ?? 'unknown', id: rest.join(':') || null }
}

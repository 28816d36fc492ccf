// An entry of the audit log. What is hashed is the entry as it is served and exported, without its own hash, as canonical
// JSON: whoever has the entries can prove the chain with any SHA-256.
import { hash } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { canonicalJson } from '../values/canonical-json.ts'
import { Id, Nullable, Time } from '../values/fields.ts'
import { actorKinds } from './actors.ts'

const Sha256 = (description: string) =>
  Type.String({ pattern: '^[0-9a-f]{64}$', description, examples: ['0'.repeat(64)] })

export const AuditEntry = Type.Object(
  {
    id: Id('aud', 'The id of this entry.'),
    portal_id: Id('ptl', 'The Portal of the entry.'),
    sequence: Type.Integer({
      description: 'The number of the entry in the log of the Portal: 1, 2, 3 and so on, without gaps.',
      examples: [42],
    }),
    created_at: Time('When the change was made.'),
    actor: Type.Object(
      {
        kind: Type.Enum([...actorKinds], {
          description:
            'Who made the change: an API key, an administrator on the command line, a background job, or another Portal that takes part in the same deal. `unknown` if nothing says who made it: a change recorded by a release without an audit log, or an upload whose credential an earlier release issued.',
        }),
        id: Nullable(
          Type.String({
            description:
              'The id of the API key, the operating system user of the command line, or the name of the job. Null for another Portal.',
            examples: ['key_01jcz3v0v2fd6tqvh1m8r5k9wx'],
          }),
        ),
      },
      { description: 'Who made the change.' },
    ),
    action: Type.String({
      description:
        'What was done: the event type of the change, such as `business.created`. For a change without an event, the operation id, such as `webhooks.create`, or the act of an administrator, such as `api_key.revoked`.',
      examples: ['business.created'],
    }),
    resource: Type.Object(
      {
        type: Type.String({ description: 'The type of the record.', examples: ['business'] }),
        id: Type.String({ description: 'The id of the record.', examples: ['biz_01jcz3v0v2fd6tqvh1m8r5k9wx'] }),
        version: Nullable(
          Type.Integer({ description: 'The version of the record after the change, if the change has an event.' }),
        ),
      },
      { description: 'The record that was changed.' },
    ),
    changes: Type.Array(Type.String(), {
      description: 'The names of the fields or parts of the record that were changed. Values are never logged.',
      examples: [['legal_name']],
    }),
    request_id: Nullable(
      Id('req', 'The `Request-Id` of the request. Null if no request of this Portal made the change.'),
    ),
    previous_hash: Sha256('The `hash` of the entry before; 64 zeros for the first entry.'),
    hash: Sha256('The SHA-256 of this entry without `hash`, as JSON with sorted keys and no spaces.'),
  },
  {
    title: 'AuditEntry',
    description: 'Records who changed which record and when. Contains names of fields, never their values.',
  },
)
export type AuditEntry = Static<typeof AuditEntry>

/** Where a chain begins. */
export const firstHash = '0'.repeat(64)

export function hashOf(entry: Omit<AuditEntry, 'hash'>): string {
  return hash('sha256', canonicalJson(entry), 'hex')
}

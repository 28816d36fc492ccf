import { idPattern } from '../../platform/values/ids.ts'
import type { ApplicationKind } from './application-kind.ts'
import { questionKeyPattern } from './schema.ts'

/** The address of something under an application of this kind. */
export function under<const Rest extends string>(kind: ApplicationKind, rest: Rest): `/{application_id}/${Rest}` {
  // safe because every kind's collection is followed by the id of an application: the parameters are those of the type
  return `${kind.path}{application_id}/${rest}` as `/{application_id}/${Rest}`
}

/** The forms of what such an address names. */
export function paramsOf(kind: ApplicationKind) {
  const application = { application_id: idPattern(kind.id_prefix) }
  return {
    application,
    question: { ...application, question_key: questionKeyPattern },
    group: { ...application, group_key: questionKeyPattern },
    item: { ...application, group_key: questionKeyPattern, item_id: idPattern('itm') },
    file: { ...application, file_id: idPattern('fil') },
    submission: { ...application, number: '^[1-9][0-9]{0,5}$' },
  }
}

export function grantsOf({ grant }: ApplicationKind) {
  return { read: [`${grant}:read`], write: [`${grant}:write`] }
}

/** Names of operations, such as `client_intake_applications.answers.list`. */
export function operationId({ grant }: ApplicationKind, verb: string): string {
  return `${grant}.${verb}`
}

import { idParameter, type PathParameter } from '../../platform/http/path-parameter.ts'
import type { ApplicationKind } from './application-kind.ts'
import { questionKeyPattern } from './schema.ts'

/** The address of something under an application of this kind. */
export function under<const Rest extends string>(kind: ApplicationKind, rest: Rest): `/{application_id}/${Rest}` {
  // safe because every kind's collection is followed by the id of an application: the parameters are those of the type
  return `${kind.path}{application_id}/${rest}` as `/{application_id}/${Rest}`
}

/** What such an address names. */
export function paramsOf(kind: ApplicationKind) {
  const application = {
    application_id: idParameter(kind.id_prefix, 'The id of the application.', {
      found_in: kind.examples?.editable ?? kind.path,
    }),
  }
  const keyed = (description: string, example: string): PathParameter => ({
    pattern: questionKeyPattern,
    description,
    example,
  })
  const group_key = keyed('The `key` of a question of type `group`.', 'owners')
  return {
    application,
    question: { ...application, question_key: keyed('The `key` of the question in the contract.', 'legal_name') },
    group: { ...application, group_key },
    item: {
      ...application,
      group_key,
      item_id: idParameter('itm', 'The id of the item.', { found_in: under(kind, 'answers/owners/items/') }),
    },
    file: {
      ...application,
      file_id: idParameter('fil', 'The id of the file.', { made_by: operationId(kind, 'files.create') }),
    },
    submission: {
      ...application,
      number: {
        pattern: '^[1-9][0-9]{0,5}$',
        description: 'The number of the submission, starting at 1.',
        example: '1',
      },
    },
  }
}

export function grantsOf({ grant }: ApplicationKind) {
  return { read: [`${grant}:read`], write: [`${grant}:write`] }
}

/** Names of operations, such as `client_intake_applications.answers.list`. */
export function operationId({ grant }: ApplicationKind, verb: string): string {
  return `${grant}.${verb}`
}

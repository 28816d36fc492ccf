// Records of questionnaires as integrators read them.
import { type Static, Type } from 'typebox'
import { recordFields } from '../../platform/values.ts'
import { ContractDraft } from './contract-schema.ts'

const { kind, title, locale, sections, questions } = ContractDraft.properties

export const Contract = Type.Object(
  recordFields('ctr', '/contracts/', {
    kind,
    key: Type.String({ description: 'The same for all versions of a contract.', examples: ['client_intake'] }),
    version: Type.Integer({ minimum: 1, description: 'Counts the versions that were published.', examples: [1] }),
    title,
    locale,
    sections,
    questions,
    option_sets: Type.Record(Type.String(), Type.Array(Type.Unknown()), {
      description: 'Lists of options that several questions share, by name.',
    }),
  }),
  { title: 'Contract' },
)
export type Contract = Static<typeof Contract>

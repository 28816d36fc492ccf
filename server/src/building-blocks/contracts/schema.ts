// Records of questionnaires as integrators read them.
import { type Static, Type } from 'typebox'
import { exampleId, recordFields } from '../../platform/values/fields.ts'
import { ContractDraft, Option } from './contract-schema.ts'

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
    option_sets: Type.Record(Type.String(), Type.Array(Option), {
      description: 'Lists of options that several questions share, by name.',
      examples: [{ how_long: [{ value: 'up_to_2_years', label: '6 months to 2 years' }] }],
    }),
    schema_url: Type.String({
      format: 'uri',
      description: 'The JSON Schema of the answers.',
      examples: [`http://127.0.0.1:8080/v1/contracts/${exampleId('ctr')}/schema.json`],
    }),
  }),
  { title: 'Contract' },
)
export type Contract = Static<typeof Contract>

export const AnswerSchema = Type.Object(
  {
    $schema: Type.String({ examples: ['https://json-schema.org/draft/2020-12/schema'] }),
    $id: Type.String({
      format: 'uri',
      examples: [`http://127.0.0.1:8080/v1/contracts/${exampleId('ctr')}/schema.json`],
    }),
    title: Type.String({ examples: ['Client intake'] }),
    type: Type.Literal('object'),
    additionalProperties: Type.Literal(false),
    properties: Type.Record(Type.String(), Type.Unknown(), {
      description: 'A schema for each question that is answered by a value, and for the items of each group.',
      examples: [{ employee_count: { type: 'integer', minimum: 0, maximum: 1_000_000 } }],
    }),
    $defs: Type.Record(Type.String(), Type.Unknown(), { examples: [{}] }),
  },
  { title: 'AnswerSchema' },
)

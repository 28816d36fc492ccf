// Contracts as integrators read them.
import { type Static, Type } from 'typebox'
import { recordFields } from '../../platform/values/fields.ts'
import { ContractDraft, contractKey, Option } from './contract-schema.ts'

const { kind, title, locale, sections, questions } = ContractDraft.properties

const named = {
  kind,
  key: Type.String({
    description: 'Identifies the contract. All versions of a contract have the same key.',
    examples: ['client_intake'],
  }),
  version: Type.Integer({
    minimum: 1,
    description: 'The number of this version. Each published version gets the next number.',
    examples: [1],
  }),
  title,
  locale,
}
const schema_url = Type.String({ format: 'uri', description: 'The address of the JSON Schema of the answers.' })

export const ContractSummary = Type.Object(recordFields('ctr', { ...named, schema_url }), {
  title: 'ContractSummary',
  description: 'One published version of a contract, without its sections and questions.',
})
export type ContractSummary = Static<typeof ContractSummary>

export const Contract = Type.Object(
  recordFields('ctr', {
    ...named,
    sections,
    questions,
    option_sets: Type.Record(Type.String(), Type.Array(Option), {
      description: 'Named lists of options that questions can share.',
      examples: [{ how_long: [{ value: 'up_to_2_years', label: '6 months to 2 years' }] }],
    }),
    schema_url,
  }),
  { title: 'Contract', description: 'One published version of a contract. It never changes.' },
)
export type Contract = Static<typeof Contract>

export const contractFilters = {
  kind: Type.Optional(Type.Enum([...kind.enum], { description: 'Only contracts of this kind.' })),
  key: Type.Optional(
    Type.String({ pattern: contractKey, description: 'Only versions of the contract with this key.' }),
  ),
}

export const AnswerSchema = Type.Object(
  {
    $schema: Type.String({
      description: 'The JSON Schema dialect.',
      examples: ['https://json-schema.org/draft/2020-12/schema'],
    }),
    $id: Type.String({ format: 'uri', description: 'The address of this schema.' }),
    title: Type.String({ description: 'The title of the contract.', examples: ['Client intake'] }),
    type: Type.Literal('object', {
      description: 'The answers are an object with one member per question, named by its key.',
    }),
    additionalProperties: Type.Literal(false, { description: 'The answers must not contain other members.' }),
    properties: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'One schema per question. For a group, it is the schema of its items. File questions are not included.',
      examples: [{ employee_count: { type: 'integer', minimum: 0, maximum: 1_000_000 } }],
    }),
    $defs: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Named schemas that questions share.',
      examples: [{}],
    }),
  },
  { title: 'AnswerSchema' },
)

import { type Static, Type } from 'typebox'
import {
  createdFilters,
  ExternalReference,
  Id,
  Metadata,
  Nullable,
  recordFields,
  Url,
  Words,
} from '../../../platform/values/fields.ts'
import { criteriaStates } from '../criteria/schema.ts'

const title = Words(200, 'Second oven', 'The title of the project.')
const description = Nullable(
  Type.String({
    minLength: 1,
    maxLength: 5000,
    pattern: '\\S',
    format: 'lines',
    description: 'What the project is about.',
    examples: ['A second oven for the shop in Harbour Street.'],
  }),
)

export const ProjectInput = Type.Object(
  {
    business_id: Id('biz', 'The business that needs funding. It must be active.'),
    intake_application_id: Type.Optional(
      Nullable(
        Id('cia', 'A submitted or accepted client intake application of the same business. Its answers fill criteria.'),
      ),
    ),
    title: Type.Optional(title),
    description: Type.Optional(description),
    external_reference: Type.Optional(Nullable(ExternalReference)),
    metadata: Type.Optional(Metadata),
  },
  { title: 'ProjectInput', additionalProperties: false },
)
export type ProjectInput = Static<typeof ProjectInput>

export const ProjectChange = Type.Partial(
  Type.Object({ title, description, external_reference: Nullable(ExternalReference), metadata: Metadata }),
  {
    title: 'ProjectChange',
    additionalProperties: false,
    minProperties: 1,
    description: 'The fields to change. A field that is not sent keeps its value.',
  },
)
export type ProjectChange = Static<typeof ProjectChange>

export const Project = Type.Object(
  recordFields('prj', {
    business_id: Id('biz', 'The business that needs funding.'),
    intake_application_id: Nullable(Id('cia', 'The client intake application it was made from.')),
    title,
    description,
    external_reference: Nullable(ExternalReference),
    metadata: Metadata,
    criteria: Type.Object(
      {
        state: Type.Enum([...criteriaStates], { description: 'Whether everything that a calculation needs is known.' }),
        url: Url('The address of the criteria.'),
        missing: Type.Array(Type.String({ examples: ['use_of_funds'] }), {
          description: 'The required criteria that have no value.',
        }),
      },
      { description: 'What is known about the project for finding funding.' },
    ),
    calculations_url: Url('The address of the match calculations.'),
    matches_url: Url('The address of the matches.'),
  }),
  { title: 'Project' },
)
export type Project = Static<typeof Project>

export const projectFilters = {
  business_id: Type.Optional(Id('biz', 'Only projects of this business.')),
  intake_application_id: Type.Optional(Id('cia', 'Only projects made from this client intake application.')),
  external_reference: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Only the project with this external reference.' }),
  ),
  ...createdFilters,
}

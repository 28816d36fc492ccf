// What happened to a deal, and what was shared of its business.
import { type Static, Type } from 'typebox'
import { Id, Nullable, Time } from '../../platform/values/fields.ts'

export const TimelineEntry = Type.Object(
  {
    id: Id('tml', 'The id of the entry.'),
    at: Time('When it happened.'),
    kind: Type.String({
      description:
        'What happened: `created`, `stage_changed`, `on_hold`, `resumed`, `won`, `lost`, `withdrawn`, `expired`, `reopened` or `note` for the deal; `application_…` and `offer_…` with the name of the event for its application and offers. More kinds may be added.',
      examples: ['stage_changed'],
    }),
    actor: Type.Object(
      {
        portal_id: Nullable(
          Id('ptl', 'The Portal that acted. Null when nobody did, for example when an application expired.'),
        ),
        name: Type.String({ description: 'The name of the Portal, or `Portico`.', examples: ['Harbour Lending'] }),
        key_id: Nullable(Id('key', 'The API key that was used. Null when another Portal acted, or no key was used.')),
      },
      { description: 'Who did it.' },
    ),
    from: Nullable(
      Type.String({ description: 'The state or stage before. Null when there was none.', examples: ['new'] }),
    ),
    to: Nullable(
      Type.String({ description: 'The state or stage after. Null when it does not apply.', examples: ['qualifying'] }),
    ),
    note: Nullable(Type.String({ description: 'The note that was given.', examples: ['Called the owner.'] })),
  },
  { title: 'TimelineEntry' },
)
export type TimelineEntry = Static<typeof TimelineEntry>

export const Disclosure = Type.Object(
  {
    id: Id('dsc', 'The id of the disclosure.'),
    at: Time('When the facts were shared.'),
    recipient_id: Id('rcp', 'The recipient that received them.'),
    application_id: Nullable(Id('dap', 'The application that was submitted. Null for the creation of the deal.')),
    submission_number: Nullable(
      Type.Integer({ minimum: 1, description: 'The number of the submission.', examples: [1] }),
    ),
    facts: Type.Array(Type.String({ examples: ['business.legal_name'] }), {
      description: 'The facts about the business that were shared.',
    }),
    question_keys: Type.Array(Type.String({ examples: ['annual_revenue'] }), {
      description: 'The questions whose answers were shared.',
    }),
    file_ids: Type.Array(Id('fil', 'The id of a file.'), { description: 'The files that were shared.' }),
  },
  { title: 'Disclosure' },
)
export type Disclosure = Static<typeof Disclosure>

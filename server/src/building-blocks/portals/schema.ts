import { type Static, Type } from 'typebox'
import { Nullable, Time } from '../../platform/values/fields.ts'

export const ApiRoot = Type.Object(
  {
    portal: Type.Object({
      id: Type.String({ examples: ['ptl_01jcz3v0v2fd6tqvh1m8r5k9wx'] }),
      name: Type.String({ examples: ['Harbour Funding'] }),
    }),
    environment: Type.Enum(['staging', 'production'], {
      description: 'The environment of this deployment, and so of the key.',
    }),
    api_version: Type.Literal('v1'),
    key: Type.Object({
      id: Type.String({ examples: ['key_01jcz3v0v2fd6tqvh1m8r5k9wy'] }),
      name: Type.String({ examples: ['CRM integration'] }),
      last4: Type.String({ examples: ['x7Qd'] }),
      created_at: Time,
      expires_at: Nullable(Time),
    }),
    resources: Type.Array(
      Type.Object({
        name: Type.String({ examples: ['businesses'] }),
        url: Type.String({ format: 'uri' }),
        actions: Type.Array(Type.String({ examples: ['read'] })),
      }),
      {
        description: 'What this key may reach, and how.',
      },
    ),
    rate_limits: Type.Array(
      Type.Object({
        name: Type.String({ examples: ['read'] }),
        quota: Type.Integer({ examples: [1000] }),
        window_seconds: Type.Integer({ examples: [10] }),
      }),
    ),
    links: Type.Object({
      openapi: Type.String({ format: 'uri' }),
      docs: Type.String({ format: 'uri' }),
      llms: Type.String({ format: 'uri' }),
    }),
  },
  { title: 'ApiRoot' },
)
export type ApiRoot = Static<typeof ApiRoot>

export const OpenApiDocument = Type.Object(
  { openapi: Type.String({ examples: ['3.1.1'] }) },
  { title: 'OpenApiDocument', additionalProperties: true, description: 'An OpenAPI 3.1 document.' },
)

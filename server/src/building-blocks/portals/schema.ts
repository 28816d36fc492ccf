import { type Static, Type } from 'typebox'
import { Nullable, Time, Url } from '../../platform/values/fields.ts'

export const ApiRoot = Type.Object(
  {
    portal: Type.Object(
      {
        id: Type.String({ description: 'The id of the Portal.', examples: ['ptl_01jcz3v0v2fd6tqvh1m8r5k9wx'] }),
        name: Type.String({ description: 'The name of the Portal.', examples: ['Harbour Funding'] }),
      },
      { description: 'The Portal the key belongs to.' },
    ),
    environment: Type.Enum(['staging', 'production'], {
      description: 'The environment of this deployment and of the key.',
    }),
    api_version: Type.Literal('v1', { description: 'The version of the API.' }),
    key: Type.Object(
      {
        id: Type.String({ description: 'The id of the key.', examples: ['key_01jcz3v0v2fd6tqvh1m8r5k9wy'] }),
        name: Type.String({ description: 'The name the administrator gave the key.', examples: ['CRM integration'] }),
        last4: Type.String({ description: 'The last four characters of the key.', examples: ['x7Qd'] }),
        created_at: Time('When the key was created.'),
        expires_at: Nullable(Time('When the key expires. Null when it does not expire.')),
      },
      { description: 'The API key of this request.' },
    ),
    resources: Type.Array(
      Type.Object({
        name: Type.String({ description: 'The name of the resource, as used in grants.', examples: ['businesses'] }),
        url: Url('The address of the collection.'),
        actions: Type.Array(Type.String({ examples: ['read'] }), {
          description: 'The actions the key is granted, such as `read` and `write`.',
        }),
      }),
      {
        description: 'The resources this key can use.',
      },
    ),
    rate_limits: Type.Array(
      Type.Object({
        name: Type.String({
          description: 'The class of requests: `read`, `write`, or `heavy` for requests that start long work.',
          examples: ['read'],
        }),
        quota: Type.Integer({ description: 'How many requests the key can send in one window.', examples: [1000] }),
        window_seconds: Type.Integer({ description: 'The length of the window in seconds.', examples: [10] }),
      }),
      { description: 'The rate limits of this key. Empty when requests are not limited.' },
    ),
    links: Type.Object(
      {
        openapi: Url('The OpenAPI document of this key.'),
        docs: Url('The documentation.'),
        llms: Url('An overview of the documentation for language models.'),
      },
      { description: 'Links to the documentation.' },
    ),
  },
  { title: 'ApiRoot' },
)
export type ApiRoot = Static<typeof ApiRoot>

export const OpenApiDocument = Type.Object(
  { openapi: Type.String({ description: 'The version of OpenAPI.', examples: ['3.1.1'] }) },
  { title: 'OpenApiDocument', additionalProperties: true, description: 'An OpenAPI 3.1 document.' },
)

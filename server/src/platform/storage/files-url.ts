// Where files are kept, read from PORTICO_FILES_URL: a directory, or s3://bucket?endpoint=https://…&region=…
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export type FilesSettings =
  | { kind: 'disk'; directory: string }
  | {
      kind: 's3'
      endpoint: string
      region: string
      bucket: string
      path_style: boolean
      access_key_id: string
      secret_access_key: string
    }

/** Throws the end of a sentence that begins with the name of the setting. `dataDir` holds the files when nothing is set. */
export function parseFilesUrl(
  text: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  dataDir: string,
): FilesSettings {
  if (text === undefined) return { kind: 'disk', directory: join(resolve(dataDir), 'files') }
  if (text.trim() === '') throw new Error('must not be empty; leave it unset to store files in the data directory')
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined) return { kind: 'disk', directory: resolve(text) }
  // The text may hold a secret, so no message repeats it.
  if (!URL.canParse(text)) throw new Error('must be a directory or a valid URL')
  if (scheme === 'file') return { kind: 'disk', directory: directoryOf(new URL(text)) }
  if (scheme === 's3') return parseS3(new URL(text), environment)
  throw new Error(`must be a directory or start with s3://, not with ${scheme}:`)
}

function directoryOf(url: URL): string {
  if (url.host || url.search || url.hash) throw new Error('must be file:/// followed by an absolute path only')
  return fileURLToPath(url)
}

function parseS3(url: URL, environment: Readonly<Record<string, string | undefined>>): FilesSettings {
  if (url.username || url.password)
    throw new Error(`must not contain credentials: set ${accessKeyId} and ${secretAccessKey}`)
  if (url.port || url.hash || (url.pathname !== '' && url.pathname !== '/'))
    throw new Error('must have only a bucket name before the question mark: s3://bucket?region=…')
  const bucket = url.hostname
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw new Error('must have a bucket name of 3 to 63 lowercase letters, digits, dots and hyphens')
  for (const name of new Set(url.searchParams.keys())) {
    if (!parameters.includes(name))
      throw new Error(`must not have the parameter ${name}; supported parameters: ${parameters.join(', ')}`)
    if (url.searchParams.getAll(name).length > 1) throw new Error(`must not have the parameter ${name} more than once`)
  }
  const region = url.searchParams.get('region') ?? ''
  if (!/^[a-z0-9-]{2,40}$/.test(region)) throw new Error('must have a region, such as region=eu-central-1')
  const style = url.searchParams.get('path_style') ?? 'false'
  if (style !== 'true' && style !== 'false') throw new Error('must have path_style=true or path_style=false')
  const path_style = style === 'true'
  const endpoint = endpointOf(url.searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`)
  // bucket.127.0.0.1 is no host, and no certificate is good for a.b.endpoint.
  if (!path_style && (!URL.canParse(`${endpoint.protocol}//${bucket}.${endpoint.host}`) || bucket.includes('.')))
    throw new Error('must have path_style=true: this bucket name cannot be part of the host name of this endpoint')
  const [access_key_id, secret_access_key] = [environment[accessKeyId], environment[secretAccessKey]]
  if (!access_key_id || !secret_access_key)
    throw new Error(`requires credentials for the bucket: set ${accessKeyId} and ${secretAccessKey}`)
  return { kind: 's3', endpoint: endpoint.origin, region, bucket, path_style, access_key_id, secret_access_key }
}

const accessKeyId = 'PORTICO_S3_ACCESS_KEY_ID'
const secretAccessKey = 'PORTICO_S3_SECRET_ACCESS_KEY'
const parameters = ['endpoint', 'region', 'path_style']

function endpointOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new Error('must have an endpoint that starts with https:// or http://')
  if (url.pathname !== '/' || url.search || url.hash || url.username || url.password)
    throw new Error('must have an endpoint without path, query, fragment or credentials')
  return url
}

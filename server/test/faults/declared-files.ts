// Files of client intake applications whose bytes are still to come.
import { hash } from 'node:crypto'
import type { RunningServer } from '../built-program.ts'
import type { Deployment } from './deployment.ts'

export interface DeclaredFile {
  id: string
  path: string
  sha256: string
  upload: { url: string; headers: Record<string, string> }
}

/** The path of an application of a new business. */
export async function beginIntake({ call }: RunningServer, { key, business }: Deployment): Promise<string> {
  const { body } = await call('POST', 'businesses/', { key, body: business() })
  const begun = await call('POST', 'client-intake-applications/', { key, body: { business_id: body.id } })
  return `client-intake-applications/${begun.body.id}/`
}

export async function declareFile(
  { call }: RunningServer,
  { key }: Deployment,
  application: string,
  content: Buffer,
): Promise<DeclaredFile> {
  const { etag } = (await call('GET', application, { key })).body
  const sha256 = hash('sha256', content, 'hex')
  const declaration = { filename: 'a.csv', content_type: 'text/csv', size_bytes: content.length, sha256 }
  const { status, body, text } = await call('POST', `${application}files/`, {
    key,
    body: { question_key: 'bank_statements', ...declaration },
    headers: { 'if-match': etag },
  })
  if (status !== 201) throw new Error(text)
  return { id: body.id, path: `${application}files/${body.id}/`, sha256, upload: body.upload }
}

/** Addresses carry the deployment's public address; the server is here. */
export function here(server: RunningServer, url: string): string {
  return url.replace(/^https?:\/\/[^/]+/, server.origin)
}

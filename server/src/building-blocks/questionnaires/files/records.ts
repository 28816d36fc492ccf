import { apiUrl, type Context } from '../../../platform/context.ts'
import { etagOf } from '../../../platform/protocol/etag.ts'
import { type ApplicationKind, applicationPath } from '../application-kind.ts'
import type { Questionnaire } from '../questionnaire.ts'
import type { FileRow } from './queries.ts'
import type { File } from './schema.ts'

export function toFile(
  context: Context,
  { kind, application }: Pick<Questionnaire, 'kind' | 'application'>,
  row: FileRow,
): File {
  const { id, question_key, item_id, filename, content_type, size_bytes, sha256, rejection } = row
  return {
    id,
    url: apiUrl(context.config, filePath(kind, row)),
    etag: etagOf(application),
    created_at: row.created_at,
    updated_at: row.updated_at,
    question_key,
    item_id,
    filename,
    content_type,
    size_bytes,
    sha256,
    // safe because a file that was taken out is never found
    state: row.state as File['state'],
    rejection,
  }
}

export function filePath(
  kind: ApplicationKind,
  { application_id, id }: Pick<FileRow, 'application_id' | 'id'>,
): string {
  return `${applicationPath(kind, application_id)}files/${id}/`
}

// Which files a caller may read: those of the working copy, or those of the last submission.
import type { Caller } from '../../../platform/context.ts'
import type { Connection } from '../../../platform/database/database.ts'
import { type Page, type PageRequest, pageOfList } from '../../../platform/database/paging.ts'
import { ApiError } from '../../../platform/protocol/errors.ts'
import { type Access, type ApplicationKind, rightsOf } from '../application-kind.ts'
import { loadSubmittedSheet } from '../submissions/submitted-sheet.ts'
import { type FileRow, findFile, findTransferableFile, listFiles } from './queries.ts'

/** A page of the files of an application. */
export async function pageOfFiles(
  db: Connection,
  caller: Caller,
  kind: ApplicationKind,
  access: Access,
  filters: { question_key?: string; item_id?: string; state?: string },
  page: PageRequest,
): Promise<Page<FileRow>> {
  const { portal_id, id } = access.application
  if (readsWorkingCopy(kind, access)) return listFiles(db, portal_id, id, filters, page)
  const wanted = Object.entries(filters).filter(([, value]) => value !== undefined)
  const files = await submittedFiles(db, caller, access)
  const chosen = files.filter((file) =>
    wanted.every(([name, value]) => new Map(Object.entries(file)).get(name) === value),
  )
  return pageOfList(chosen, page, (file) => [file.id])
}

/** The file an address names, of this very application. */
export async function requireFile(
  db: Connection,
  caller: Caller,
  kind: ApplicationKind,
  access: Access,
  fileId: string,
): Promise<FileRow> {
  const { portal_id, id } = access.application
  const file = readsWorkingCopy(kind, access)
    ? await findFile(db, portal_id, fileId)
    : (await submittedFiles(db, caller, access)).find((one) => one.id === fileId)
  if (file?.application_id !== id) throw new ApiError('not_found')
  return file
}

/** The same for a file whose bytes are asked for: also one that was taken out after it had been submitted. */
export async function requireTransferableFile(
  db: Connection,
  kind: ApplicationKind,
  access: Access,
  fileId: string,
): Promise<FileRow> {
  const file = await findTransferableFile(db, access.application.portal_id, fileId)
  if (file?.application_id !== access.application.id) throw new ApiError('not_found')
  // What was handed over once stays readable, whatever was submitted since.
  if (!readsWorkingCopy(kind, access) && !file.is_submitted) throw new ApiError('not_found')
  return file
}

function readsWorkingCopy(kind: ApplicationKind, { role }: Access): boolean {
  return rightsOf(kind, role).reads === 'working_copy'
}

async function submittedFiles(db: Connection, { context }: Caller, { application }: Access) {
  const { portal_id, id } = application
  return (await loadSubmittedSheet(db, context.vault, portal_id, id)).files
}

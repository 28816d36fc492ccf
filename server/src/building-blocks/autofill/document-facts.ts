import type { Context } from '../../platform/context.ts'
import { NothingKept, StoreUnavailable } from '../../platform/storage/file-store.ts'
import { fileKey } from '../file-transfers/transfer-requests.ts'
import type { FileRow } from '../questionnaires/files/queries.ts'
import type { DocumentReader } from './documents/document-reader.ts'
import { DocumentUnreadable } from './documents/document-unreadable.ts'
import { isReadable } from './documents/readable-documents.ts'
import type { Gathered, SourceProblem } from './facts.ts'

/** What a run may spend on documents, well below the time it has itself. */
const budgetMs = 120_000
const maximumDocuments = 20
const tooMany = `The document was not read: Autofill reads only the latest ${maximumDocuments} documents of an application.`
const noTime = 'The document was not read: the time limit of the run was reached. Run Autofill again.'
/** Suggested, never written. */
const unsure = 0.4

/** Labelled figures and names in the documents of an application. A file that cannot be read is only reported. */
export async function factsOfDocuments(
  { files: store }: Context,
  reader: DocumentReader,
  portalId: string,
  files: readonly FileRow[],
  signal: AbortSignal,
): Promise<Gathered> {
  const gathered: Gathered = { facts: [], problems: [] }
  const begin = performance.now()
  const readable = files.filter(({ state, content_type }) => state === 'available' && isReadable(content_type))
  // The latest first: when time runs out, the oldest are left.
  for (const [index, file] of readable.toReversed().entries()) {
    const left = budgetMs - (performance.now() - begin)
    if (index >= maximumDocuments || left <= 0) {
      const isTooMany = index >= maximumDocuments
      gathered.problems.push(isTooMany ? problemOf(file, 'too_many', tooMany) : problemOf(file, 'not_read', noTime))
      continue
    }
    const open = () => store.open(fileKey(portalId, file.id))
    const patience = AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(left))])
    try {
      const { facts, is_truncated } = await reader.find(open, file.content_type, patience)
      gathered.has_looked = true
      for (const { text: value, place, ...found } of facts) {
        // The end of a long document was not read, and the last value in it may be the right one.
        const confidence = is_truncated ? Math.min(found.confidence, unsure) : found.confidence
        gathered.facts.push({ ...found, confidence, value, source: 'documents', reference: `${file.id}, ${place}` })
      }
      if (is_truncated)
        gathered.problems.push(problemOf(file, 'truncated', 'The document is too long: only its beginning was read.'))
    } catch (error) {
      if (signal.aborted) throw error
      gathered.problems.push(explain(file, error, patience.aborted))
    }
  }
  return gathered
}

function explain(file: FileRow, error: unknown, isOutOfTime: boolean): SourceProblem {
  if (error instanceof DocumentUnreadable) return problemOf(file, error.code, error.message)
  if (error instanceof NothingKept) return problemOf(file, 'missing', 'The file was deleted during the run.')
  if (error instanceof StoreUnavailable)
    return problemOf(file, 'store_unavailable', 'The file storage was not available. Run Autofill again.')
  if (isOutOfTime) return problemOf(file, 'not_read', noTime)
  throw error
}

function problemOf(file: FileRow, code: string, message: string): SourceProblem {
  return { source: 'documents', reference: file.id, code, message }
}

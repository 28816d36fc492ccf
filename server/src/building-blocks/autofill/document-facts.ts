import type { Context } from '../../platform/context.ts'
import { fileKey } from '../file-transfers/transfer-requests.ts'
import type { FileRow } from '../questionnaires/file-queries.ts'
import type { DocumentReader } from './documents/document-reader.ts'
import { DocumentUnreadable } from './documents/document-unreadable.ts'
import { findFacts } from './documents/labelled-facts.ts'
import type { Gathered } from './facts.ts'

/** Types whose text can be read. */
const readableTypes: readonly string[] = [
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'text/csv',
  'text/plain',
]

/** A run has its time; the latest documents come first. */
const maximumDocuments = 20

/** Labelled figures and names in the documents of an application. A file that cannot be read is told, and no more. */
export async function factsOfDocuments(
  { files: store }: Context,
  reader: DocumentReader,
  portalId: string,
  files: readonly FileRow[],
  signal: AbortSignal,
): Promise<Gathered> {
  const gathered: Gathered = { facts: [], problems: [] }
  const readable = files.filter(
    ({ state, content_type }) => state === 'available' && readableTypes.includes(content_type),
  )
  for (const file of readable.slice(-maximumDocuments)) {
    try {
      const bytes = await store.open(fileKey(portalId, file.id))
      const text = await reader.read(bytes, file.content_type, signal)
      for (const { fact, text: value, confidence, place, row, scale } of findFacts(text)) {
        gathered.facts.push({
          fact,
          value,
          source: 'documents',
          reference: `${file.id}, ${place}`,
          confidence,
          ...(row !== undefined && { row }),
          ...(scale !== undefined && { scale }),
        })
      }
    } catch (error) {
      if (!(error instanceof DocumentUnreadable)) throw error
      const { code, message } = error
      gathered.problems.push({ source: 'documents', reference: file.id, code, message })
    }
  }
  return gathered
}

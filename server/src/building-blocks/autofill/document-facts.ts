import { isoTime } from '../../platform/clock.ts'
import type { Context } from '../../platform/context.ts'
import { NothingKept, StoreUnavailable } from '../../platform/storage/file-store.ts'
import { fileKey } from '../file-transfers/transfer-requests.ts'
import type { FileRow } from '../questionnaires/files/queries.ts'
import { confidences } from './confidence.ts'
import { DocumentUnreadable } from './documents/formats/document-unreadable.ts'
import { isReadable } from './documents/formats/readable-documents.ts'
import type { DocumentReader } from './documents/process/document-reader.ts'
import type { FactsOfDocument } from './documents/process/reader-answer.ts'
import type { Subject } from './documents/readings/company-names.ts'
import type { Fact, Gathered, SourceProblem } from './facts.ts'

/** What a run may spend on documents, well below the time it has itself. */
const budgetMs = 120_000
const maximumDocuments = 20
const tooMany = `The document was not read: Autofill reads only the latest ${maximumDocuments} documents of an application.`
const noTime = 'The document was not read: the time limit of the run was reached. Run Autofill again.'
const otherPicture = 'Autofill reads pictures only as PNG or JPEG. Save the picture in one of these formats.'

/** Labelled figures and names in the documents of an application. A file that cannot be read is only reported. */
export async function factsOfDocuments(
  { files: store, clock, config }: Context,
  reader: DocumentReader,
  portalId: string,
  files: readonly FileRow[],
  subject: Subject,
  signal: AbortSignal,
): Promise<Gathered> {
  const gathered: Gathered = { facts: [], problems: [] }
  const begin = performance.now()
  const readable = files.filter(({ state, content_type }) => state === 'available' && isReadable(content_type))
  for (const file of files) {
    const isPicture = file.content_type.startsWith('image/')
    if (file.state !== 'available' || !isPicture || isReadable(file.content_type)) continue
    gathered.has_looked = true
    gathered.problems.push(problemOf(file, 'no_text', otherPicture))
  }
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
      const request = { subject, today: isoTime(clock.now()).slice(0, 10), ocr_program: config.tesseract }
      const { facts, company_owners, problems, is_truncated } = await reader.find(
        open,
        file.content_type,
        request,
        patience,
      )
      gathered.has_looked = true
      for (const { text: value, page, line, words, period, ...found } of facts) {
        // The end of a long document was not read, and the last value in it may be the right one.
        const confidence = is_truncated ? Math.min(found.confidence, confidences.one_doubt) : found.confidence
        const evidence: Fact['evidence'] = { page, line, words, period: period ?? null }
        const reference = `${file.id}, page ${page}, line ${line}`
        gathered.facts.push({ ...found, confidence, value, evidence, source: 'documents', reference })
      }
      for (const { code, message } of problems) gathered.problems.push(problemOf(file, code, message))
      for (const company of company_owners)
        gathered.problems.push(problemOf(file, 'company_owner', toldAsCompany(company)))
      if (is_truncated)
        gathered.problems.push(problemOf(file, 'truncated', 'The document is too long: only its beginning was read.'))
    } catch (error) {
      if (signal.aborted) throw error
      gathered.problems.push(explain(file, error, patience.aborted))
    }
  }
  return gathered
}

function toldAsCompany({ name, ownership_percent, page, line }: FactsOfDocument['company_owners'][number]): string {
  const share = ownership_percent === undefined ? '' : ` of ${ownership_percent} %`
  return `The owner ${name}${share} (page ${page}, line ${line}) is a company. Add the people who own it.`
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

/** Whose documents they are, as far as the record says. */
export function subjectOf(businessFacts: readonly Fact[]): Subject {
  const textOf = (name: string) => {
    const found = businessFacts.find(({ fact }) => fact === `business.${name}`)?.value
    return typeof found === 'string' ? found : null
  }
  return { legal_name: textOf('legal_name'), trading_name: textOf('trading_name'), country: textOf('country') }
}

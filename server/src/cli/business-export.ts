// Everything that a Portal holds about a business, as one archive: its rows as JSON, readable, and the bytes of its files.
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Selectable } from 'kysely'
import { openTaxId } from '../areas/businesses/records.ts'
import { openOutcome } from '../building-blocks/autofill/records.ts'
import { fileKey } from '../building-blocks/file-transfers/transfer-requests.ts'
import { heldRows, heldTables, type Subject, type TableName } from '../building-blocks/peoples-data/holdings.ts'
import { isFileKept } from '../building-blocks/questionnaires/files/queries.ts'
import { openAnswer, openItem } from '../building-blocks/questionnaires/sheet-queries.ts'
import { openSubmission } from '../building-blocks/questionnaires/submissions/queries.ts'
import { note } from '../platform/audit/notes.ts'
import { writeAsDraft } from '../platform/backup/drafts.ts'
import { isoTime } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import { holdSnapshot } from '../platform/database/held-snapshot.ts'
import { inTransaction } from '../platform/database/races.ts'
import type { Tables } from '../platform/database/tables.ts'
import { tarBytes, tarEnd, type WrittenEntry } from '../platform/storage/tar-writer.ts'

interface Exported {
  file: string
  records: Record<string, number>
  files: number
  missing_files: string[]
  /** In the archive as they are, which is not as they were uploaded. */
  damaged_files: string[]
}

interface ExportedFile
  extends Pick<Selectable<Tables['files']>, 'id' | 'filename' | 'size_bytes' | 'sha256' | 'state'> {
  path: string
}

export async function exportBusiness(
  context: Context,
  subject: Subject,
  file: string,
  { isReplacing }: { isReplacing: boolean },
): Promise<Exported> {
  const exported: Exported = { file, records: {}, files: 0, missing_files: [], damaged_files: [] }
  await writeAsDraft(file, isReplacing, (draft) =>
    pipeline(
      Readable.from(archiveOf(context, subject, exported), { objectMode: true }),
      createGzip(),
      createWriteStream(draft, { mode: 0o600, flags: 'wx' }),
    ),
  )
  return exported
}

/** Before the first byte is written: what was read by somebody has left a trace, even if the archive was never finished. */
async function noteExport(context: Context, { portal_id, business_id }: Subject): Promise<void> {
  const caller = { context, portal_id, request_id: null }
  await inTransaction(context.database, (tx) =>
    note(tx, caller, { action: 'business.exported', resource_id: business_id }),
  )
}

async function* archiveOf(context: Context, subject: Subject, exported: Exported): AsyncGenerator<Buffer> {
  const now = context.clock.now()
  await noteExport(context, subject)
  const contents: WrittenEntry[] = []
  const written = (entry: WrittenEntry) => contents.push(entry)
  const text = (path: string, value: string) => {
    const bytes = Buffer.from(value)
    return tarBytes({ path, size_bytes: bytes.length, bytes: [bytes] }, now, written)
  }
  yield* text('README.txt', explanation(subject, isoTime(now)))
  const files: ExportedFile[] = []
  // The rows are those of one moment; files never change, and follow.
  const snapshot = await holdSnapshot(context.database)
  try {
    for (const table of heldTables) {
      if (table === 'business_words') continue
      let page = 0
      for await (const rows of heldRows(snapshot.tx, table, subject)) {
        if (table === 'files') files.push(...rows.map(exportedFile))
        const readable = rows.map((row) => readableRow(context, subject, table, row))
        exported.records[table] = (exported.records[table] ?? 0) + rows.length
        yield* text(
          `records/${table}/${String(++page).padStart(5, '0')}.json`,
          `${JSON.stringify(readable, undefined, 2)}\n`,
        )
      }
    }
  } finally {
    await snapshot.end()
  }
  const missing: ExportedFile[] = []
  for (const file of files) {
    const key = fileKey(subject.portal_id, file.id)
    const kept = await context.files.stat(key)
    if (!kept) {
      // A file that was never uploaded, or was rejected, has no bytes.
      const hadBytes = ['available', 'scanning', 'removed'].includes(file.state)
      // One that was deleted since the rows were read is no loss.
      if (hadBytes && (await isFileKept(context.database.read, subject.portal_id, file.id))) missing.push(file)
      continue
    }
    const bytes = await context.files.open(key)
    yield* tarBytes({ path: file.path, size_bytes: kept.size_bytes, bytes }, now, (entry) => {
      written(entry)
      if (entry.sha256 !== file.sha256) exported.damaged_files.push(file.id)
    })
    exported.files++
  }
  exported.missing_files = missing.map(({ id }) => id)
  const manifest = {
    portal_id: subject.portal_id,
    business_id: subject.business_id,
    created_at: isoTime(now),
    files: files.map(({ id, filename, path, sha256 }) => ({ id, filename, path, sha256_when_uploaded: sha256 })),
    missing_files: exported.missing_files,
    damaged_files: exported.damaged_files,
    contents: [...contents],
  }
  yield* text('manifest.json', `${JSON.stringify(manifest, undefined, 2)}\n`)
  yield tarEnd
}

/** Names that people gave may be anything; in the archive they are plain. The manifest has them as they were. */
function exportedFile(row: Record<string, unknown>): ExportedFile {
  // safe because the row is one of the table of files
  const file = row as Selectable<Tables['files']>
  const plain = file.filename.normalize('NFKD').replace(/[^A-Za-z0-9.-]+/g, '_')
  return { ...file, path: `files/${file.id}-${plain.slice(-50)}` }
}

/** A row as a person can read it: encrypted values opened, and nothing that only serves search. */
function readableRow(
  context: Context,
  { portal_id }: Subject,
  table: TableName,
  row: Record<string, unknown>,
): Record<string, unknown> {
  const { vault } = context
  // safe because each row is one of the table that is named
  const as = <Name extends TableName>(_: Name) => row as unknown as Selectable<Tables[Name]>
  switch (table) {
    case 'businesses': {
      const {
        tax_id_sealed,
        tax_id_hash: _1,
        name_sort: _2,
        name_match: _3,
        search_text: _4,
        registration_match: _5,
        ...rest
      } = as(table)
      return { ...rest, tax_id: openTaxId({ context, portal_id, request_id: null }, rest.id, tax_id_sealed) }
    }
    case 'answers': {
      const { value: _, is_sealed, ...rest } = as(table)
      return {
        ...rest,
        was_encrypted: is_sealed,
        value: openAnswer(vault, portal_id, rest.application_id, as(table)).value,
      }
    }
    case 'answer_items': {
      const { content: _, is_sealed, ...rest } = as(table)
      const { values } = openItem(vault, portal_id, rest.application_id, as(table))
      return { ...rest, was_encrypted: is_sealed, values: Object.fromEntries(values) }
    }
    case 'submissions': {
      const { sealed_content: _, ...rest } = as(table)
      return { ...rest, content: openSubmission(vault, portal_id, rest.application_id, as(table)).content }
    }
    case 'autofill_runs': {
      const { sealed_outcome: _, ...rest } = as(table)
      return { ...rest, outcome: openOutcome(vault, as(table)) }
    }
    default:
      return row
  }
}

function explanation({ portal_id, business_id }: Subject, createdAt: string): string {
  return `Everything that the Portal ${portal_id} holds about the business ${business_id}.
Created ${createdAt}.

records/   One folder for each kind of record, as JSON. Encrypted values are shown in clear text.
files/     The uploaded files. Each name begins with the id of the file in records/files/.
manifest.json  Lists everything in this archive with its size and SHA-256, and the original names of the files.

Not included: search indexes and hashes that are computed from these values, stored responses to API requests
(they repeat the records and are deleted after 72 hours), and what recipients of deals noted for themselves.
`
}

// Answers and items. Values of restricted questions are sealed: they are opened here and nowhere else.
import type { Selectable } from 'kysely'
import { compileOnce } from '../../platform/database/compiled-query.ts'
import type { Connection } from '../../platform/database/database.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { groupBy } from '../../platform/values/groups.ts'
import type { Vault } from '../../platform/vault.ts'
import { type FileRow, listFilesOf, listFilesOfAll } from './files/queries.ts'
import { type GivenAnswer, type GivenValue, groupItems, type Item, type Sheet } from './sheet.ts'

const answerColumns = [
  'question_key',
  'value',
  'is_sealed',
  'state',
  'source',
  'source_detail',
  'confirmed',
  'updated_at',
] as const
type AnswerRow = Pick<Selectable<Tables['answers']>, (typeof answerColumns)[number]>

const answersOfApplication = compileOnce<{ portal_id: string; application_id: string }, AnswerRow>((db, values) =>
  db
    .selectFrom('answers')
    .select(answerColumns)
    .where('portal_id', '=', values.portal_id)
    .where('application_id', '=', values.application_id)
    .orderBy('question_key'),
)

const itemColumns = ['id', 'group_key', 'position', 'content', 'is_sealed', 'created_at', 'updated_at'] as const
type ItemRow = Pick<Selectable<Tables['answer_items']>, (typeof itemColumns)[number]>

const itemsOfApplication = compileOnce<{ portal_id: string; application_id: string }, ItemRow>((db, values) =>
  db
    .selectFrom('answer_items')
    .select(itemColumns)
    .where('portal_id', '=', values.portal_id)
    .where('application_id', '=', values.application_id)
    .orderBy('position')
    .orderBy('id'),
)

export async function loadSheet(db: Connection, vault: Vault, portalId: string, applicationId: string): Promise<Sheet> {
  const which = { portal_id: portalId, application_id: applicationId }
  const [answers, items, files] = await Promise.all([
    answersOfApplication(db, which),
    itemsOfApplication(db, which),
    listFilesOf(db, portalId, applicationId),
  ])
  return sheetOf(vault, portalId, applicationId, { answers, items, files })
}

/** The sheets of several applications at once, by their ids. */
export async function loadSheets(
  db: Connection,
  vault: Vault,
  portalId: string,
  applicationIds: readonly string[],
): Promise<Map<string, Sheet>> {
  if (applicationIds.length === 0) return new Map()
  const of = <Row extends { application_id: string }>(rows: Row[]) => groupBy(rows, (row) => row.application_id)
  const [answers, items, files] = await Promise.all([
    db
      .selectFrom('answers')
      .select(['application_id', ...answerColumns])
      .where('portal_id', '=', portalId)
      .where('application_id', 'in', applicationIds)
      .orderBy('question_key')
      .execute()
      .then(of),
    db
      .selectFrom('answer_items')
      .select(['application_id', ...itemColumns])
      .where('portal_id', '=', portalId)
      .where('application_id', 'in', applicationIds)
      .orderBy('position')
      .orderBy('id')
      .execute()
      .then(of),
    listFilesOfAll(db, portalId, applicationIds).then(of),
  ])
  return new Map(
    applicationIds.map((id) => {
      const rows = { answers: answers.get(id) ?? [], items: items.get(id) ?? [], files: files.get(id) ?? [] }
      return [id, sheetOf(vault, portalId, id, rows)]
    }),
  )
}

function sheetOf(
  vault: Vault,
  portalId: string,
  applicationId: string,
  rows: { answers: AnswerRow[]; items: ItemRow[]; files: FileRow[] },
): Sheet {
  const items = rows.items.map((row) => openItem(vault, portalId, applicationId, row))
  return {
    answers: new Map(rows.answers.map((row) => [row.question_key, openAnswer(vault, portalId, applicationId, row)])),
    items: groupItems(items),
    files: rows.files,
  }
}

export function openAnswer(vault: Vault, portalId: string, applicationId: string, row: AnswerRow): GivenAnswer {
  const { question_key, state, source, source_detail, confirmed, updated_at } = row
  const text = row.is_sealed ? open(vault, row.value, `${portalId} ${applicationId} ${question_key}`) : row.value
  return { question_key, value: JSON.parse(text), state, source, source_detail, confirmed, updated_at }
}

export function openItem(vault: Vault, portalId: string, applicationId: string, row: ItemRow): Item {
  const { id, group_key, position, created_at, updated_at } = row
  const text = row.is_sealed ? open(vault, row.content, `${portalId} ${applicationId} ${id}`) : row.content
  // safe because only the values of an item are ever written there
  const values = JSON.parse(text) as Record<string, GivenValue>
  // Values were once kept without their state: nobody could decline one.
  const given = Object.entries(values).map(
    ([key, value]) => [key, { ...value, state: value.state ?? 'answered' }] as const,
  )
  return { id, group_key, position, values: new Map(given), created_at, updated_at }
}

function open(vault: Vault, sealed: string, boundTo: string): string {
  const text = vault.open('answer', sealed, boundTo)
  if (text === undefined) throw new Error('an encrypted answer cannot be decrypted: was PORTICO_SECRET_KEY changed?')
  return text
}

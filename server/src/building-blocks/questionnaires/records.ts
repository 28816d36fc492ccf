// Between what tables hold and what integrators read.
import { apiUrl, type Context } from '../../platform/context.ts'
import { etagOf } from '../../platform/http/etag.ts'
import type { KnownContract } from '../contracts/contract-models.ts'
import { type Application, type ApplicationKind, applicationPath } from './application-kind.ts'
import { type Review, reviewSheet } from './completeness.ts'
import type { FileRow } from './file-queries.ts'
import type { Answer, ApplicationStatus, File, Item } from './schema.ts'
import { filesOf, type Sheet, type Item as StoredItem } from './sheet.ts'

/** An application with everything that was said in it. */
export interface Questionnaire {
  kind: ApplicationKind
  application: Application
  contract: KnownContract
  sheet: Sheet
}

/**
 * The review a record shows is that of the day the application last changed, so that one version always looks the same;
 * `validation` and submission go by today.
 */
export function reviewAsOfVersion({ contract, sheet, application }: Questionnaire): Review {
  return reviewSheet(contract.model, sheet, application.updated_at.slice(0, 10))
}

function urlOf(context: Context, { kind, application }: Questionnaire, path: string): string {
  return apiUrl(context.config, `${applicationPath(kind, application.id)}${path}`)
}

/** The answer to a question of the top level; undefined where there is none. */
export function toAnswer(
  context: Context,
  questionnaire: Questionnaire,
  review: Pick<Review, 'evaluation'>,
  key: string,
): Answer | undefined {
  const { contract, sheet, application } = questionnaire
  const question = contract.model.questions.get(key)
  if (!question || question.type === 'display') return undefined
  const url = urlOf(context, questionnaire, `answers/${key}/`)
  const base = {
    question_key: key,
    url,
    etag: etagOf(application),
    value: null,
    state: null,
    source: null,
    source_detail: null,
    confirmed: false,
    is_active: review.evaluation.isVisible(key),
    updated_at: null,
    item_count: null,
    items_url: null,
    files_url: null,
  }
  if (question.type === 'group') {
    const items = sheet.items.get(key) ?? []
    return {
      ...base,
      state: items.length > 0 ? 'answered' : null,
      source: sourceOfItems(items),
      confirmed: items.length > 0 && items.every(isConfirmed),
      updated_at: latest(items),
      item_count: items.length,
      items_url: `${url}items/`,
    }
  }
  const answer = sheet.answers.get(key)
  if (question.type === 'file') {
    const files = filesOf(sheet.files, key, null)
    const files_url = urlOf(context, questionnaire, `files/?question_key=${key}`)
    if (files.length > 0 || !answer) {
      const available = files.filter(({ state }) => state === 'available')
      return {
        ...base,
        value: available.map(({ id }) => id),
        state: available.length > 0 ? 'answered' : null,
        source: files.length > 0 ? 'api' : null,
        confirmed: available.length > 0,
        updated_at: latest(files),
        files_url,
      }
    }
    return { ...base, state: answer.state, source: answer.source, updated_at: answer.updated_at, files_url }
  }
  if (!answer) return undefined
  const { value, state, source, source_detail, confirmed, updated_at } = answer
  return { ...base, value: state === 'declined' ? null : value, state, source, source_detail, confirmed, updated_at }
}

/** All answers, in the order of the contract. */
export function toAnswers(
  context: Context,
  questionnaire: Questionnaire,
  review: Pick<Review, 'evaluation'>,
): Answer[] {
  return [...questionnaire.contract.model.questions.keys()].flatMap(
    (key) => toAnswer(context, questionnaire, review, key) ?? [],
  )
}

export function toItem(
  context: Context,
  questionnaire: Questionnaire,
  review: Pick<Review, 'evaluation'>,
  item: StoredItem,
): Item {
  const { id, group_key, position, values, created_at, updated_at } = item
  const entries = [...values]
  return {
    id,
    url: urlOf(context, questionnaire, `answers/${group_key}/items/${id}/`),
    etag: etagOf(questionnaire.application),
    created_at,
    updated_at,
    group_key,
    position,
    values: Object.fromEntries(entries.map(([key, { value }]) => [key, value])),
    value_sources: Object.fromEntries(
      entries.map(([key, { source, source_detail, confirmed }]) => [key, { source, source_detail, confirmed }]),
    ),
    is_active: review.evaluation.isVisible(group_key),
  }
}

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

export function toStatus(context: Context, questionnaire: Questionnaire, review: Review): ApplicationStatus {
  const { application } = questionnaire
  return {
    application_id: application.id,
    application_url: urlOf(context, questionnaire, ''),
    etag: etagOf(application),
    state: application.state,
    updated_at: application.updated_at,
    progress: review.progress,
    is_submittable: review.problems.length === 0,
  }
}

/** A group is Autofill's as long as nobody has written anything in it. */
function sourceOfItems(items: readonly StoredItem[]): Answer['source'] {
  if (items.length === 0) return null
  const sources = items.flatMap(({ values }) => [...values.values()].map(({ source }) => source))
  return sources.find((source) => source !== 'autofill') ?? (sources.length > 0 ? 'autofill' : 'api')
}

function isConfirmed({ values }: StoredItem): boolean {
  return [...values.values()].every(({ confirmed }) => confirmed)
}

function latest(list: readonly { updated_at: string }[]): string | null {
  return list.reduce<string | null>((last, { updated_at }) => (last && last > updated_at ? last : updated_at), null)
}

import type { Context } from '../../../platform/context.ts'
import { etagOf } from '../../../platform/protocol/etag.ts'
import type { Review } from '../completeness.ts'
import { type Questionnaire, urlOf } from '../questionnaire.ts'
import { filesOf, type Item as StoredItem } from '../sheet.ts'
import type { Answer } from './schema.ts'

/** The answer to a question of the top level; undefined where there is none. */
export function toAnswer(
  context: Context,
  questionnaire: Questionnaire,
  review: Pick<Review, 'evaluation'>,
  key: string,
): Answer | undefined {
  const { contract, sheet } = questionnaire
  const question = contract.model.questions.get(key)
  if (!question || question.type === 'display') return undefined
  const base = noAnswer(context, questionnaire, review, key)
  if (question.type === 'group') {
    const items = sheet.items.get(key) ?? []
    return {
      ...base,
      state: items.length > 0 ? 'answered' : null,
      source: sourceOfItems(items),
      confirmed: items.length > 0 && items.every(isConfirmed),
      updated_at: latest(items),
      item_count: items.length,
      items_url: `${base.url}items/`,
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

/** A question that nobody has answered. */
export function noAnswer(
  context: Context,
  questionnaire: Questionnaire,
  review: Pick<Review, 'evaluation'>,
  key: string,
): Answer {
  return {
    question_key: key,
    url: urlOf(context, questionnaire, `answers/${key}/`),
    etag: etagOf(questionnaire.application),
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

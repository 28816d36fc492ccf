import type { Context } from '../../../platform/context.ts'
import { etagOf } from '../../../platform/protocol/etag.ts'
import type { Review } from '../completeness.ts'
import { type Questionnaire, urlOf } from '../questionnaire.ts'
import { type Item as StoredItem, valuesOfItem } from '../sheet.ts'
import type { Item } from './schema.ts'

export function toItem(
  context: Context,
  questionnaire: Questionnaire,
  review: Pick<Review, 'evaluation'>,
  item: StoredItem,
): Item {
  const { id, group_key, position, values, created_at, updated_at } = item
  const { contract, sheet } = questionnaire
  const entries = [...values]
  const level = review.evaluation.inItem(group_key, { id, values: valuesOfItem(contract.model, item, sheet.files) })
  const isAsked = review.evaluation.isVisible(group_key)
  return {
    id,
    url: urlOf(context, questionnaire, `answers/${group_key}/items/${id}/`),
    etag: etagOf(questionnaire.application),
    created_at,
    updated_at,
    group_key,
    position,
    values: Object.fromEntries(
      entries.filter(([, { state }]) => state === 'answered').map(([key, { value }]) => [key, value]),
    ),
    value_sources: Object.fromEntries(
      entries.map(([key, { state, source, source_detail, confirmed }]) => [
        key,
        { state, source, source_detail, confirmed, is_active: isAsked && level.isVisible(key) },
      ]),
    ),
    is_active: isAsked,
  }
}

import type { Context } from '../../../platform/context.ts'
import { etagOf } from '../../../platform/protocol/etag.ts'
import type { Review } from '../completeness.ts'
import { type Questionnaire, urlOf } from '../questionnaire.ts'
import type { Item as StoredItem } from '../sheet.ts'
import type { Item } from './schema.ts'

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

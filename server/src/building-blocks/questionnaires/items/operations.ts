import { pageOfList } from '../../../platform/database/paging.ts'
import { defineList, defineRead, defineWrite, type Operation } from '../../../platform/http/operation.ts'
import type { ApplicationKind } from '../application-kind.ts'
import { loadQuestionnaire } from '../load-questionnaire.ts'
import { grantsOf, operationId, paramsOf, under } from '../operation-paths.ts'
import { reviewAsOfVersion, toStatus } from '../questionnaire.ts'
import { ApplicationStatus } from '../schema.ts'
import { addItem, changeItem, groupOf, itemOf, removeItem } from './commands.ts'
import { toItem } from './records.ts'
import { Item, ItemChange, ItemInput } from './schema.ts'

export function itemOperations(kind: ApplicationKind): Operation[] {
  const grants = grantsOf(kind)
  const params = paramsOf(kind)
  const shared = { resource: kind.resource }
  return [
    defineList({
      ...shared,
      id: operationId(kind, 'items.list'),
      path: under(kind, 'answers/{group_key}/items/'),
      summary: 'List the items of a group',
      description: 'Lists the items in order of their `position`.',
      grant: grants.read,
      params: params.group,
      item: Item,
      collection: { orders: [], default_order: '', page_size: { default: 100, maximum: 500 }, backward: false },
      async list(db, { caller, params }, page) {
        const questionnaire = await loadQuestionnaire(db, caller, kind, params.application_id)
        groupOf(questionnaire, params.group_key)
        const review = reviewAsOfVersion(questionnaire)
        const items = (questionnaire.sheet.items.get(params.group_key) ?? []).map((item) =>
          toItem(caller.context, questionnaire, review, item),
        )
        return pageOfList(items, page, ({ position, id }) => [position, id])
      },
    }),
    defineWrite({
      ...shared,
      id: operationId(kind, 'items.create'),
      method: 'POST',
      path: under(kind, 'answers/{group_key}/items/'),
      summary: 'Add an item to a group',
      description: 'Adds an item, such as one owner, to a group. Without `position`, the item is added at the end.',
      grant: grants.write,
      params: params.group,
      ifMatch: true,
      body: ItemInput,
      example: { values: { first_name: 'Ann', last_name: 'Lee', ownership_percent: 60 } },
      status: 201,
      response: Item,
      errors: ['state_conflict', 'limit_reached'],
      async write(tx, { caller, params, ifMatch, body }) {
        const { questionnaire, item } = await addItem(tx, caller, kind, { ...params, ifMatch }, body)
        return toItem(caller.context, questionnaire, reviewAsOfVersion(questionnaire), item)
      },
    }),
    defineRead({
      ...shared,
      id: operationId(kind, 'items.read'),
      path: under(kind, 'answers/{group_key}/items/{item_id}/'),
      summary: 'Read an item',
      grant: grants.read,
      params: params.item,
      response: Item,
      async read(db, { caller, params }) {
        const questionnaire = await loadQuestionnaire(db, caller, kind, params.application_id)
        const item = itemOf(questionnaire, params.group_key, params.item_id)
        return toItem(caller.context, questionnaire, reviewAsOfVersion(questionnaire), item)
      },
    }),
    defineWrite({
      ...shared,
      id: operationId(kind, 'items.change'),
      method: 'PATCH',
      path: under(kind, 'answers/{group_key}/items/{item_id}/'),
      summary: 'Change an item',
      description: 'Changes only the values that are sent. Send `position` to move the item.',
      grant: grants.write,
      params: params.item,
      ifMatch: true,
      body: ItemChange,
      example: { values: { ownership_percent: 40 } },
      status: 200,
      response: Item,
      errors: ['state_conflict', 'limit_reached'],
      async write(tx, { caller, params, ifMatch, body }) {
        const { questionnaire, item } = await changeItem(tx, caller, kind, { ...params, ifMatch }, body)
        return toItem(caller.context, questionnaire, reviewAsOfVersion(questionnaire), item)
      },
    }),
    defineWrite({
      ...shared,
      id: operationId(kind, 'items.delete'),
      method: 'DELETE',
      path: under(kind, 'answers/{group_key}/items/{item_id}/'),
      summary: 'Delete an item',
      description: 'Deletes an item and its files.',
      grant: grants.write,
      params: params.item,
      ifMatch: true,
      status: 200,
      response: ApplicationStatus,
      errors: ['state_conflict'],
      async write(tx, { caller, params, ifMatch }) {
        const questionnaire = await removeItem(tx, caller, kind, { ...params, ifMatch })
        return toStatus(caller.context, questionnaire, reviewAsOfVersion(questionnaire))
      },
    }),
  ]
}

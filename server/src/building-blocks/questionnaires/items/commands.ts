import { isoTime } from '../../../platform/clock.ts'
import type { Caller } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { ApiError, bodyDetail, limitReached, validationFailed } from '../../../platform/protocol/errors.ts'
import { counted } from '../../../platform/values/counted.ts'
import { newId } from '../../../platform/values/ids.ts'
import type { GroupModel } from '../../contracts/contract-model.ts'
import type { Application, ApplicationKind } from '../application-kind.ts'
import { requireOpen } from '../editing.ts'
import { removeFiles } from '../files/removal.ts'
import { openForEdit, type Target } from '../load-questionnaire.ts'
import type { Questionnaire } from '../questionnaire.ts'
import type { Item } from '../sheet.ts'
import { requireRoom } from '../sheet-size.ts'
import { changeItemValues } from './changes.ts'
import { deleteItem, moveItems, upsertItem } from './queries.ts'
import type { ItemChange, ItemInput } from './schema.ts'

interface GroupTarget extends Target {
  group_key: string
}

interface Changed<Row extends Application> {
  questionnaire: Questionnaire<Row>
  item: Item
}

export async function addItem<Row extends Application>(
  tx: Tx,
  caller: Caller,
  kind: ApplicationKind<Row>,
  { group_key, ...target }: GroupTarget,
  input: ItemInput,
): Promise<Changed<Row>> {
  const questionnaire = await openForEdit(tx, caller, kind, target, (found) => groupOf(found, group_key))
  requireOpen(questionnaire, group_key, namedGroup)
  const group = groupOf(questionnaire, group_key)
  const items = questionnaire.sheet.items.get(group_key) ?? []
  const now = isoTime(caller.context.clock.now())
  const { problems, values } = changeItemValues(questionnaire.contract.model, group, new Map(), input, now)
  problems.push(...positionProblems(input.position, items.length + 1))
  if (problems.length > 0) throw validationFailed(problems)
  const maximum = group.question.repeat?.max ?? 0
  if (items.length >= maximum)
    throw limitReached(`Limit reached: ${group_key} accepts at most ${counted(maximum, 'item')}.`, {
      name: group_key,
      advice: 'Delete an item before you add another.',
      meta: { maximum },
    })
  const position = input.position ?? items.length + 1
  const item: Item = { id: newId('itm'), group_key, position, values, created_at: now, updated_at: now }
  const list = items.map((one) => (one.position >= position ? { ...one, position: one.position + 1 } : one))
  return save(tx, caller, questionnaire, item, [...list, item], { from: position, to: items.length, by: 1 })
}

/** A change without effect makes no new version. */
export async function changeItem<Row extends Application>(
  tx: Tx,
  caller: Caller,
  kind: ApplicationKind<Row>,
  { group_key, item_id, ...target }: GroupTarget & { item_id: string },
  input: ItemChange,
): Promise<Changed<Row>> {
  const questionnaire = await openForEdit(tx, caller, kind, target, (found) => itemOf(found, group_key, item_id))
  requireOpen(questionnaire, group_key, namedGroup)
  const group = groupOf(questionnaire, group_key)
  const items = questionnaire.sheet.items.get(group_key) ?? []
  const current = itemOf(questionnaire, group_key, item_id)
  const now = isoTime(caller.context.clock.now())
  const { model } = questionnaire.contract
  const { problems, values } = changeItemValues(model, group, current.values, input, now)
  problems.push(...positionProblems(input.position, items.length))
  if (problems.length > 0) throw validationFailed(problems)
  const position = input.position ?? current.position
  if (position === current.position && isSameItem(current.values, values)) return { questionnaire, item: current }
  const item: Item = { ...current, values, position, updated_at: now }
  // The items between the old and the new position move by one.
  const [from, to, by] =
    position < current.position
      ? ([position, current.position - 1, 1] as const)
      : ([current.position + 1, position, -1] as const)
  const list = items.map((one) => {
    if (one.id === item.id) return item
    return one.position >= from && one.position <= to ? { ...one, position: one.position + by } : one
  })
  return save(tx, caller, questionnaire, item, list, { from, to, by })
}

export async function removeItem<Row extends Application>(
  tx: Tx,
  caller: Caller,
  kind: ApplicationKind<Row>,
  { group_key, item_id, ...target }: GroupTarget & { item_id: string },
): Promise<Questionnaire<Row>> {
  const questionnaire = await openForEdit(tx, caller, kind, target, (found) => itemOf(found, group_key, item_id))
  requireOpen(questionnaire, group_key, namedGroup)
  const { application, sheet } = questionnaire
  const items = sheet.items.get(group_key) ?? []
  const current = itemOf(questionnaire, group_key, item_id)
  const { portal_id, id } = application
  const saved = await kind.saveEdited(tx, caller, questionnaire)
  await deleteItem(tx, portal_id, id, item_id)
  const gap = { from: current.position + 1, to: items.length, by: -1 } as const
  await moveItems(tx, portal_id, id, group_key, gap)
  await removeFiles(
    tx,
    { ...caller, portal_id },
    sheet.files.filter((file) => file.item_id === item_id),
  )
  const left = items
    .filter(({ id }) => id !== item_id)
    .map((one) => (one.position > current.position ? { ...one, position: one.position - 1 } : one))
  return {
    ...questionnaire,
    application: saved,
    sheet: {
      ...sheet,
      items: new Map(sheet.items).set(group_key, left),
      files: sheet.files.filter((file) => file.item_id !== item_id),
    },
  }
}

/** The group an address names. */
export function groupOf({ contract }: Pick<Questionnaire, 'contract'>, key: string): GroupModel {
  const group = contract.model.groups.get(key)
  if (!group) throw new ApiError('not_found')
  return group
}

export function itemOf({ sheet }: Pick<Questionnaire, 'sheet'>, groupKey: string, id: string): Item {
  const item = sheet.items.get(groupKey)?.find((one) => one.id === id)
  if (!item) throw new ApiError('not_found')
  return item
}

async function save<Row extends Application>(
  tx: Tx,
  caller: Caller,
  questionnaire: Questionnaire<Row>,
  item: Item,
  list: readonly Item[],
  moved: { from: number; to: number; by: 1 | -1 },
): Promise<Changed<Row>> {
  const { kind, application, contract, sheet } = questionnaire
  const { portal_id, id } = application
  const sorted = [...list].sort((a, b) => a.position - b.position)
  const items = new Map(sheet.items).set(item.group_key, sorted)
  requireRoom({ ...sheet, items })
  const saved = await kind.saveEdited(tx, caller, questionnaire)
  if (moved.from <= moved.to) await moveItems(tx, portal_id, id, item.group_key, moved)
  await upsertItem(tx, caller.context.vault, portal_id, id, item, contract.restricted.has(item.group_key))
  return { questionnaire: { ...questionnaire, application: saved, sheet: { ...sheet, items } }, item }
}

const namedGroup = { location: 'path', name: 'group_key' } as const

/** The values are the very ones that were there: a change keeps those it does not touch. */
function isSameItem(before: Item['values'], after: Item['values']): boolean {
  return before.size === after.size && [...after].every(([key, given]) => before.get(key) === given)
}

function positionProblems(position: number | undefined, maximum: number) {
  if (position === undefined || position <= maximum) return []
  return [bodyDetail('/position', 'out_of_range', `position must be at most ${maximum}.`, { minimum: 1, maximum })]
}

// Everything that has been said in one application: its answers, the items of its groups, its files.

import { canonicalJson } from '../../platform/values/canonical-json.ts'
import { groupBy } from '../../platform/values/groups.ts'
import type { ContractModel } from '../contracts/contract-model.ts'
import type { AnswerSet } from '../contracts/evaluation.ts'
import type { FileRow } from './files/queries.ts'

/** Where a value comes from and how sure we are of it. */
export interface SourceDetail {
  kind: string
  reference: string | null
  confidence: number
  /** Where in a document it stands, and the time it is of. */
  page?: number
  line?: number
  words?: string
  period?: string | null
}

export interface GivenValue {
  /** Null when it was declined. */
  value: unknown
  state: 'answered' | 'declined'
  source: 'api' | 'console' | 'autofill'
  source_detail: SourceDetail | null
  /** Somebody stands by it: Autofill leaves it alone. */
  confirmed: boolean
  updated_at: string
}

export interface GivenAnswer extends GivenValue {
  question_key: string
}

export interface Item {
  id: string
  group_key: string
  position: number
  values: ReadonlyMap<string, GivenValue>
  created_at: string
  updated_at: string
}

export interface Sheet {
  answers: ReadonlyMap<string, GivenAnswer>
  /** In their order, by group. */
  items: ReadonlyMap<string, readonly Item[]>
  files: readonly FileRow[]
}

export const emptySheet: Sheet = { answers: new Map(), items: new Map(), files: [] }

/** The sheet with answers and items written over what was there. */
export function withWritten(
  sheet: Sheet,
  written: { answers?: readonly GivenAnswer[]; items?: readonly Item[] },
): Sheet {
  const answers = new Map(sheet.answers)
  for (const answer of written.answers ?? []) answers.set(answer.question_key, answer)
  const items = new Map(sheet.items)
  for (const item of written.items ?? []) {
    const others = (items.get(item.group_key) ?? []).filter(({ id }) => id !== item.id)
    items.set(
      item.group_key,
      [...others, item].sort((a, b) => a.position - b.position),
    )
  }
  return { ...sheet, answers, items }
}

/** Items by their group, in their order. */
export const groupItems = (items: readonly Item[]): Map<string, Item[]> => groupBy(items, ({ group_key }) => group_key)

/** Whether writing one over the other would change anything but the time. */
export function isSameValue(a: GivenValue | undefined, b: GivenValue): boolean {
  const essence = ({ value, state, source, source_detail, confirmed }: GivenValue) =>
    canonicalJson([value, state, source, source_detail, confirmed])
  return a !== undefined && essence(a) === essence(b)
}

/** The sheet as conditions see it: values without what was declined; a file question's value is its files. */
export function answerSetOf(model: ContractModel, { answers, items, files }: Sheet): AnswerSet {
  const values = new Map<string, unknown>()
  for (const { question_key, state, value } of answers.values())
    if (state === 'answered') values.set(question_key, value)
  for (const { key, type } of model.questions.values())
    if (type === 'file') values.set(key, availableFiles(files, key, null))
  return {
    values,
    items: new Map(
      [...items].map(([group, list]) => [
        group,
        list.map((item) => ({ id: item.id, values: valuesOfItem(model, item, files) })),
      ]),
    ),
  }
}

/** The values of an item as conditions see them. */
export function valuesOfItem(model: ContractModel, item: Item, files: readonly FileRow[]): Map<string, unknown> {
  const values = new Map<string, unknown>()
  for (const [key, { state, value }] of item.values) if (state === 'answered') values.set(key, value)
  for (const { key, type } of model.groups.get(item.group_key)?.questions.values() ?? [])
    if (type === 'file') values.set(key, availableFiles(files, key, item.id))
  return values
}

/** Files that count as answers, or still may. */
export function filesOf(files: readonly FileRow[], questionKey: string, itemId: string | null): FileRow[] {
  return files.filter((file) => file.question_key === questionKey && file.item_id === itemId && isAlive(file))
}

function isAlive({ state }: Pick<FileRow, 'state'>): boolean {
  return state === 'available' || state === 'scanning' || state === 'awaiting_upload'
}

function availableFiles(files: readonly FileRow[], questionKey: string, itemId: string | null): string[] {
  return filesOf(files, questionKey, itemId)
    .filter(({ state }) => state === 'available')
    .map(({ id }) => id)
}

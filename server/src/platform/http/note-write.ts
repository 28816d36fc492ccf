// Every write that commits is in the audit log: by the event of its change or, where that has none, by a note that is made
// here. So no operation can be forgotten.
import { isTold, note } from '../audit/notes.ts'
import type { Tx } from '../database/database.ts'
import type { Call, Operation } from './operation.ts'

export async function noteWrite(tx: Tx, operation: Operation, call: Call, result: unknown): Promise<void> {
  const params: readonly string[] = Object.values(call.params)
  const resultId = idOf(result)
  const ids = resultId === undefined ? params : [...params, resultId]
  if (isTold(tx, ids)) return
  await note(tx, call.caller, {
    action: operation.id,
    // Parts of a record, such as its answers and files, are found by the record.
    resource_id: ids[0] ?? call.caller.portal_id,
    changes: [...partOf(operation, call, resultId), ...(operation.changes?.(call.body) ?? fieldsOf(call.body))],
  })
}

function idOf(result: unknown): string | undefined {
  const isRecord = typeof result === 'object' && result !== null && 'id' in result
  return isRecord && typeof result.id === 'string' ? result.id : undefined
}

/** The address of a part below that of the record, where the path or the result names one: `files/fil_…`. */
function partOf({ path }: Operation, { params }: Call, resultId: string | undefined): string[] {
  const [, below = ''] = /^.*?\{\w+\}\/(.*)\/$/.exec(path) ?? []
  const values: Record<string, string> = params
  const part = below.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
  const isNew = resultId !== undefined && !Object.values(values).includes(resultId)
  if (below === '' || (part === below && !isNew)) return []
  return [isNew ? `${part}/${resultId}` : part]
}

/** The names of the outermost fields: names further inside may have been chosen by whoever sent them. */
function fieldsOf(body: unknown): string[] {
  return typeof body === 'object' && body !== null ? Object.keys(body) : []
}

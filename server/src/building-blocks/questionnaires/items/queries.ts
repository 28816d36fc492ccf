import type { Tx } from '../../../platform/database/database.ts'
import type { Vault } from '../../../platform/vault.ts'
import type { Item } from '../sheet.ts'

/** Writes an item whole. Sealed when one of its group's questions is restricted. */
export async function upsertItem(
  tx: Tx,
  vault: Vault,
  portalId: string,
  applicationId: string,
  item: Item,
  isSealed: boolean,
): Promise<void> {
  const { id, group_key, position, values, created_at, updated_at } = item
  const text = JSON.stringify(Object.fromEntries(values))
  const content = isSealed ? vault.seal('answer', text, `${portalId} ${applicationId} ${id}`) : text
  await tx
    .insertInto('answer_items')
    .values({
      portal_id: portalId,
      application_id: applicationId,
      id,
      group_key,
      position,
      content,
      is_sealed: isSealed,
      created_at,
      updated_at,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['portal_id', 'application_id', 'id'])
        .doUpdateSet({ position, content, is_sealed: isSealed, updated_at }),
    )
    .execute()
}

/** Makes room before an item, or closes the gap after one. */
export async function moveItems(
  tx: Tx,
  portalId: string,
  applicationId: string,
  groupKey: string,
  { from, to, by }: { from: number; to: number; by: 1 | -1 },
): Promise<void> {
  await tx
    .updateTable('answer_items')
    .set((eb) => ({ position: eb('position', '+', by) }))
    .where('portal_id', '=', portalId)
    .where('application_id', '=', applicationId)
    .where('group_key', '=', groupKey)
    .where('position', '>=', from)
    .where('position', '<=', to)
    .execute()
}

export async function deleteItem(tx: Tx, portalId: string, applicationId: string, id: string): Promise<void> {
  await tx
    .deleteFrom('answer_items')
    .where('portal_id', '=', portalId)
    .where('application_id', '=', applicationId)
    .where('id', '=', id)
    .execute()
}

// How far the new matches of a recipient's catalogue were told. Changes are told in their order, some at a time; those
// that are being told now go to one project after the other. The place is kept with the recipient, and moves in the
// transaction that tells: whoever goes on from it leaves nothing out and tells nothing twice.
import { type SqlBool, sql } from 'kysely'
import type { Connection, Tx } from '../../../platform/database/database.ts'
import type { ChangePosition } from './matching-task.ts'

export interface TellingPlace {
  /** Everybody was told of the changes up to this one. */
  after: ChangePosition
  /** Of the changes up to this one, the projects up to `project_id` of `portal_id` were told. */
  until: ChangePosition
  portal_id: string
  project_id: string
}

/** Sorts after every id. Where a version of a catalogue has been told completely, its place is here. */
export const lastId = '~'

/** While nothing is being told. */
const nothing: ChangePosition = { catalog_version: 0, program_id: '' }

export function placeAfter(after: ChangePosition): TellingPlace {
  return { after, until: nothing, portal_id: '', project_id: '' }
}

/**
 * Recipients with changes of programmes that not everybody was told of, whoever had a turn longest ago first: however many
 * there are and however often they change, each is served. With the number of the turn that comes now.
 */
export async function listUntold(db: Connection) {
  const rows = await db
    .selectFrom('recipients')
    .select([...(['portal_id', 'catalog_version', 'told_version', 'told_program_id'] as const)])
    .select([...(['telling_version', 'telling_program_id', 'telling_portal_id', 'telling_project_id'] as const)])
    .select((eb) =>
      eb
        .selectFrom('recipients as all')
        .select((all) => all.fn.max('telling_turn').as('last'))
        .as('last_turn'),
    )
    .where('catalog_version', '>', 0)
    // An import changes many programmes by one version, and some of them may be left.
    .where(sql<SqlBool>`(told_version, told_program_id) < (catalog_version, ${lastId})`)
    .orderBy('telling_turn')
    .orderBy('portal_id')
    .execute()
  return rows.map((row) => ({
    portal_id: row.portal_id,
    turn: Number(row.last_turn) + 1,
    catalog_version: row.catalog_version,
    place: {
      after: { catalog_version: row.told_version, program_id: row.told_program_id },
      until: { catalog_version: row.telling_version, program_id: row.telling_program_id },
      portal_id: row.telling_portal_id,
      project_id: row.telling_project_id,
    } satisfies TellingPlace,
  }))
}

/** False when the place is not where it was: somebody else goes on from there. */
export async function movePlace(
  tx: Tx,
  { portal_id, turn }: { portal_id: string; turn: number },
  { from, to }: { from: TellingPlace; to: TellingPlace },
): Promise<boolean> {
  const [before, after] = [columnsOf(from), columnsOf(to)]
  const { numUpdatedRows } = await tx
    .updateTable('recipients')
    .set({ ...after, telling_turn: turn })
    .where('portal_id', '=', portal_id)
    .where((eb) => eb.and(before))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Whose turn has failed waits for the next one like everybody else. */
export async function passTurn(tx: Tx, { portal_id, turn }: { portal_id: string; turn: number }): Promise<void> {
  await tx.updateTable('recipients').set({ telling_turn: turn }).where('portal_id', '=', portal_id).execute()
}

function columnsOf({ after, until, portal_id, project_id }: TellingPlace) {
  return {
    told_version: after.catalog_version,
    told_program_id: after.program_id,
    telling_version: until.catalog_version,
    telling_program_id: until.program_id,
    telling_portal_id: portal_id,
    telling_project_id: project_id,
  }
}

/** The next Portal that has projects; undefined after the last one. */
export async function nextPortal(db: Connection, afterPortalId: string): Promise<string | undefined> {
  const { portal_id } = await db
    .selectFrom('projects')
    .select((eb) => eb.fn.min<string | null>('portal_id').as('portal_id'))
    .where('portal_id', '>', afterPortalId)
    .executeTakeFirstOrThrow()
  return portal_id ?? undefined
}

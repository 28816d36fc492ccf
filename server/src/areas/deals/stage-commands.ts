import { AdministrationError } from '../../building-blocks/portals/commands.ts'
import { writeSetting } from '../../building-blocks/portals/settings.ts'
import { enqueue } from '../../platform/background/jobs.ts'
import type { Caller, Context } from '../../platform/context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { saveRecord } from '../../platform/records/stateful-records.ts'
import { dealRecord } from './kind.ts'
import { findDeal, lockDeal } from './queries.ts'
import { dealStages, type Stage, stageProblems } from './stages.ts'

export const relabelJob = 'deals.relabel'

/** Sets the stages of a Portal. Deals keep the stage they are in until they move; a job gives them its new label. */
export async function setStages(tx: Tx, context: Context, portalId: string, stages: unknown): Promise<void> {
  await writeSetting(tx, context, portalId, dealStages, stages)
  // safe because the setting has refused everything else; a throw here takes the setting back with the transaction
  const problems = stageProblems(stages as Stage[])
  if (problems.length > 0) throw new AdministrationError(problems.join(' '))
  await enqueue(tx, context, { portal_id: portalId, kind: relabelJob })
}

/** Gives a deal the label that its stage has now. Nothing has happened in the deal: only its versions move. */
export async function relabelDeal(
  tx: Tx,
  caller: Caller,
  { sender_portal_id, id }: { sender_portal_id: string; id: string },
  stages: readonly Stage[],
): Promise<void> {
  await lockDeal(tx, sender_portal_id, id)
  const deal = await findDeal(tx, caller.portal_id, id)
  const stage = stages.find(({ key }) => key === deal?.stage_key)
  if (!deal || !stage || stage.label === deal.stage_label) return
  const { received } = deal
  const kind = { ...dealRecord, withCopies: (row: typeof deal) => ({ ...row, received: received && next(received) }) }
  await saveRecord(tx, caller, kind, { ...deal, stage_label: stage.label }, deal.updated_at)
}

function next<Row extends { version: number }>(row: Row): Row {
  return { ...row, version: row.version + 1 }
}

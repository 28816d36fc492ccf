// What changes in a deal when it comes to a stage, or to its end.
import { readSetting } from '../../building-blocks/portals/settings.ts'
import { isoTime } from '../../platform/clock.ts'
import type { Caller } from '../../platform/context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { reach } from './progress.ts'
import type { DealRow } from './queries.ts'
import { dealStages, type Stage, stageOf } from './stages.ts'

/** The stages of the Portal that works on a deal. */
export async function stagesOf(tx: Tx, portalId: string): Promise<readonly Stage[]> {
  return readSetting(tx, portalId, dealStages)
}

/** What changes when a deal comes to a stage. */
export function atStage({ context }: Caller, deal: DealRow, stage: Stage): Partial<DealRow> {
  return { ...stageColumns(stage), reached: reach(deal, stage.category, isoTime(context.clock.now())) }
}

/** What changes when a deal ends. */
export async function ended(
  tx: Tx,
  caller: Caller,
  deal: DealRow,
  kind: string,
  { reason_code, note }: { reason_code: string | null; note: string | null },
): Promise<Partial<DealRow>> {
  const stages = await stagesOf(tx, deal.recipient_portal_id)
  const stage_before_end = { key: deal.stage_key, label: deal.stage_label, category: deal.stage_category }
  return {
    ...atStage(caller, deal, stageOf(stages, kind === 'won' ? 'funded' : 'closed_lost')),
    stage_before_end,
    submitted_application_id: null,
    // What was approved and not paid out is approved no longer.
    ...(kind !== 'won' && { amount_approved: null }),
    outcome: { kind, reason_code, note, at: isoTime(caller.context.clock.now()) },
  }
}

export function stageColumns({ key, label, category }: Stage) {
  return { stage_key: key, stage_label: label, stage_category: category }
}

import { AdministrationError } from '../../building-blocks/portals/commands.ts'
import { writeSetting } from '../../building-blocks/portals/settings.ts'
import type { Context } from '../../platform/context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { dealStages, type Stage, stageProblems } from './stages.ts'

/** Sets the stages of a Portal. Deals keep the stage they are in until they move. */
export async function setStages(tx: Tx, context: Context, portalId: string, stages: unknown): Promise<void> {
  await writeSetting(tx, context, portalId, dealStages, stages)
  // safe because the setting has refused everything else; a throw here takes the setting back with the transaction
  const problems = stageProblems(stages as Stage[])
  if (problems.length > 0) throw new AdministrationError(problems.join(' '))
}

// The stages a Portal works its deals through. Each has one of the fixed categories, by which every Portal's stages can
// be compared and a deal's progress is told.
import { type Static, Type } from 'typebox'
import type { PortalSetting } from '../../building-blocks/portals/settings.ts'
import { Words } from '../../platform/values/fields.ts'

/** In the order of a deal that goes well; the last one is for those that do not. */
const categories = [
  'new',
  'qualifying',
  'application',
  'under_review',
  'offer',
  'closing',
  'funded',
  'closed_lost',
] as const
export type Category = (typeof categories)[number]

/** The steps of the progress of a deal. */
export const steps = categories.filter((category) => category !== 'closed_lost')

export const categoryLabels: Readonly<Record<Category, string>> = {
  new: 'New',
  qualifying: 'Qualifying',
  application: 'Application',
  under_review: 'Under review',
  offer: 'Offer',
  closing: 'Closing',
  funded: 'Funded',
  closed_lost: 'Closed',
}

export const stageKeyForm = '^[a-z][a-z0-9_]{0,62}$'

export const Stage = Type.Object(
  {
    key: Type.String({
      pattern: stageKeyForm,
      description: 'The key of the stage: lowercase letters, digits and underscores.',
      examples: ['qualifying'],
    }),
    label: Words(100, 'Qualifying', 'The name of the stage.'),
    category: Type.Enum([...categories], {
      description: 'The fixed category of the stage. Use it to compare deals of different Portals.',
    }),
  },
  { title: 'Stage', additionalProperties: false },
)
export type Stage = Static<typeof Stage>

export const dealStages = {
  name: 'deal_stages',
  schema: Type.Array(Stage, { minItems: categories.length, maxItems: 50 }),
  default: categories.map((category): Stage => ({ key: category, label: categoryLabels[category], category })),
} satisfies PortalSetting

/** What is wrong with a list of stages beyond its form: every category needs a stage, every key must be unique. */
export function stageProblems(stages: readonly Stage[]): string[] {
  const keys = stages.map(({ key }) => key)
  const repeated = [...new Set(keys.filter((key, index) => keys.indexOf(key) !== index))]
  const missing = categories.filter((category) => !stages.some((stage) => stage.category === category))
  return [
    ...repeated.map((key) => `The key ${key} is used by more than one stage. Every key must be unique.`),
    ...missing.map((category) => `No stage has the category ${category}. Every category needs at least one stage.`),
  ]
}

/**
 * What the stage of a deal is now, when it was changed since the deal came to it. A deal keeps its category: one that came
 * to a stage while the stage was given another category goes to a stage of its own.
 */
export function changedStageOf(
  stages: readonly Stage[],
  deal: { stage_key: string; stage_label: string; stage_category: Category },
): Stage | undefined {
  const stage = stages.find(({ key }) => key === deal.stage_key)
  if (stage && stage.category !== deal.stage_category) return stageOf(stages, deal.stage_category)
  return stage?.label === deal.stage_label ? undefined : stage
}

/** The stage a deal goes to when it reaches a category: the first one of it. */
export function stageOf(stages: readonly Stage[], category: Category): Stage {
  const first = stages.find((stage) => stage.category === category)
  return first ?? { key: category, label: categoryLabels[category], category }
}

/** The stage of a deal that is opened again: where it ended, unless that needs an application, which ended with it. */
export function stageAfterReopening(
  stages: readonly Stage[],
  before: Stage | null,
  { hadApplication }: { hadApplication: boolean },
): Stage {
  if (!before) return stageOf(stages, 'new')
  const isUnderWay = ['under_review', 'offer', 'closing', 'funded', 'closed_lost'].includes(before.category)
  if (isUnderWay && hadApplication) return stageOf(stages, 'application')
  // The Portal may have other stages by now, and a stage that no deal was in may have another category.
  const same = stages.find(({ key, category }) => key === before.key && category === before.category)
  return same ?? stageOf(stages, before.category)
}

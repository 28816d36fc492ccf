// What a questionnaire asks, given what has been answered. Pure, and computed anew whenever it is needed: whether a
// question is visible or required is never stored. Conditions have no circles (publication sees to that), so each
// question's visibility is worked out once, when it is first asked for.
import { type AnswerTo, holds } from './conditions.ts'
import type { ContractModel, GroupModel } from './contract-model.ts'
import type { GroupedQuestion, Question } from './contract-schema.ts'

/** Answers as conditions see them: values by question, without what was declined. */
export interface AnswerSet {
  values: ReadonlyMap<string, unknown>
  /** The items of each repeatable group, in their order. */
  items: ReadonlyMap<string, readonly ItemValues[]>
}

export interface ItemValues {
  id: string
  values: ReadonlyMap<string, unknown>
}

/** Of the questions of one level: the top, or one item of a group. */
export interface Level {
  isVisible(question: string): boolean
  isRequired(question: string): boolean
}

export interface Evaluation extends Level {
  isSectionVisible(section: string): boolean
  inItem(group: string, item: ItemValues): Level
}

export function evaluate(model: ContractModel, answers: AnswerSet, today: string): Evaluation {
  const isSectionVisible = remembering((key) => holds(model.sections.get(key)?.visible_when, answerTo, today))

  const isVisible = remembering((key) => {
    const question = model.questions.get(key)
    return !!question && isSectionVisible(question.section) && holds(question.visible_when, answerTo, today)
  })

  const answerTo: AnswerTo = (key) => {
    if (!isVisible(key)) return undefined
    return model.groups.has(key) ? answers.items.get(key) : answers.values.get(key)
  }

  for (const key of model.order) isVisible(key)

  const inItem = (group: string, item: ItemValues): Level => {
    const found = model.groups.get(group)
    return found && isVisible(group) ? levelOfItem(found, item, answerTo, today) : nothing
  }

  return {
    isSectionVisible,
    isVisible,
    isRequired: (key) => isVisible(key) && mustBeAnswered(model.questions.get(key), answerTo, today),
    inItem,
  }
}

/** In an item a key means the same item, then the top level, never a sibling. */
function levelOfItem(group: GroupModel, item: ItemValues, answerOnTop: AnswerTo, today: string): Level {
  const isVisible = remembering((key) => {
    const question = group.questions.get(key)
    return !!question && holds(question.visible_when, answerTo, today)
  })
  const answerTo: AnswerTo = (key) => {
    if (!group.questions.has(key)) return answerOnTop(key)
    return isVisible(key) ? item.values.get(key) : undefined
  }
  return {
    isVisible,
    isRequired: (key) => isVisible(key) && mustBeAnswered(group.questions.get(key), answerTo, today),
  }
}

const nothing: Level = { isVisible: () => false, isRequired: () => false }

function mustBeAnswered(question: Question | GroupedQuestion | undefined, answerTo: AnswerTo, today: string): boolean {
  if (!question || question.type === 'display') return false
  return question.required === true || (!!question.required_when && holds(question.required_when, answerTo, today))
}

function remembering(find: (key: string) => boolean): (key: string) => boolean {
  const known = new Map<string, boolean>()
  return (key) => {
    let found = known.get(key)
    if (found === undefined) {
      found = find(key)
      known.set(key, found)
    }
    return found
  }
}

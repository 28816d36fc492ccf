import type { ContractDraft, GroupedQuestion, Option, Question, Section } from './contract-schema.ts'

/** A contract with everything in it found by name. */
export interface ContractModel {
  contract: Pick<ContractDraft, 'sections' | 'questions' | 'option_sets'>
  sections: ReadonlyMap<string, Section>
  /** Questions of the top level, groups among them. */
  questions: ReadonlyMap<string, Question>
  groups: ReadonlyMap<string, GroupModel>
}

export interface GroupModel {
  question: Question
  questions: ReadonlyMap<string, GroupedQuestion>
}

export function modelOf(contract: ContractModel['contract']): ContractModel {
  const groups = contract.questions.filter(({ type }) => type === 'group')
  return {
    contract,
    sections: byKey(contract.sections),
    questions: byKey(contract.questions),
    groups: new Map(groups.map((question) => [question.key, { question, questions: byKey(question.questions ?? []) }])),
  }
}

export function optionsOf({ contract }: ContractModel, question: Question | GroupedQuestion): readonly Option[] {
  return question.options ?? contract.option_sets?.[question.option_set ?? ''] ?? []
}

function byKey<T extends { key: string }>(list: readonly T[]): Map<string, T> {
  return new Map(list.map((one) => [one.key, one]))
}

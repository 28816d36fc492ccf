import { comparisonsOf } from './conditions.ts'
import type { Condition, ContractDraft, GroupedQuestion, Option, Question, Section } from './contract-schema.ts'

/** A contract with everything in it found by name. */
export interface ContractModel {
  contract: Pick<ContractDraft, 'sections' | 'questions' | 'option_sets'>
  sections: ReadonlyMap<string, Section>
  /** Questions of the top level, groups among them. */
  questions: ReadonlyMap<string, Question>
  groups: ReadonlyMap<string, GroupModel>
  order: readonly string[]
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
    order: dependencyOrder(contract),
    groups: new Map(groups.map((question) => [question.key, { question, questions: byKey(question.questions ?? []) }])),
  }
}

export function optionsOf({ contract }: ContractModel, question: Question | GroupedQuestion): readonly Option[] {
  const { options, option_set = '' } = question
  const sets = contract.option_sets ?? {}
  return options ?? (Object.hasOwn(sets, option_set) ? (sets[option_set] ?? []) : [])
}

/** The keys of the top level, each after those its visibility depends on: whoever goes in this order never has to wait. */
function dependencyOrder({ sections, questions }: ContractModel['contract']): string[] {
  const named = (condition: Condition | undefined) =>
    comparisonsOf(condition).map(({ comparison }) => comparison.question)
  const ofSection = new Map(sections.map(({ key, visible_when }) => [key, named(visible_when)]))
  const needs = new Map(
    questions.map(({ key, section, visible_when }) => [
      key,
      [...(ofSection.get(section) ?? []), ...named(visible_when)],
    ]),
  )
  const order: string[] = []
  const seen = new Set<string>()
  // By hand rather than by recursion: a chain may be as long as the contract.
  for (const start of needs.keys()) {
    const open = seen.has(start) ? [] : [{ key: start, left: [...(needs.get(start) ?? [])] }]
    seen.add(start)
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const need = top.left.pop()
      if (need === undefined) {
        order.push(top.key)
        open.pop()
      } else if (needs.has(need) && !seen.has(need)) {
        seen.add(need)
        open.push({ key: need, left: [...(needs.get(need) ?? [])] })
      }
    }
  }
  return order
}

function byKey<T extends { key: string }>(list: readonly T[]): Map<string, T> {
  return new Map(list.map((one) => [one.key, one]))
}

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

/** The keys of the top level, each with those that its visibility is decided by. */
function needsOf({ sections, questions }: ContractModel['contract']): Map<string, string[]> {
  const ofSection = new Map(sections.map(({ key, visible_when }) => [key, namedBy(visible_when)]))
  return new Map(
    questions.map(({ key, section, visible_when }) => [
      key,
      [...(ofSection.get(section) ?? []), ...namedBy(visible_when)],
    ]),
  )
}

function namedBy(condition: Condition | undefined): string[] {
  return comparisonsOf(condition).map(({ comparison }) => comparison.question)
}

/**
 * These keys and whatever they decide about: questions of the top level that another answer to one of them can show or
 * make required.
 */
export function withDependents({ contract }: ContractModel, keys: readonly string[]): string[] {
  const needs = needsOf(contract)
  for (const { key, required_when, questions = [] } of contract.questions) {
    const ofMembers = questions.flatMap((one) => [...namedBy(one.visible_when), ...namedBy(one.required_when)])
    needs.get(key)?.push(...namedBy(required_when), ...ofMembers)
  }
  const found = new Set(keys)
  for (const decider of found) for (const [key, deciders] of needs) if (deciders.includes(decider)) found.add(key)
  return [...found]
}

/** The keys of the top level, each after those its visibility depends on: whoever goes in this order never has to wait. */
function dependencyOrder(contract: ContractModel['contract']): string[] {
  const needs = needsOf(contract)
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

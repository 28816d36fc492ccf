import { comparisonsOf } from './conditions.ts'
import type { ContractModel } from './contract-model.ts'
import type { Condition, ContractProblem } from './contract-schema.ts'

/** Circles among the conditions that decide whether a question is visible. */
export function circularConditions(model: ContractModel): ContractProblem[] {
  const { edges, places } = visibilityGraph(model)
  const done = new Set<string>()
  const problems: ContractProblem[] = []
  const walk = (name: string, path: readonly string[]) => {
    const start = path.indexOf(name)
    if (start !== -1) {
      const circle = [...path.slice(start), name].join(' → ')
      problems.push({ place: places.get(name) ?? '', message: `Circular visibility conditions: ${circle}.` })
    }
    if (start !== -1 || done.has(name)) return
    for (const next of edges.get(name) ?? []) walk(next, [...path, name])
    done.add(name)
  }
  for (const name of edges.keys()) walk(name, [])
  return problems
}

/** What the visibility of each section and question depends on. */
function visibilityGraph({ contract: { sections, questions } }: ContractModel) {
  const edges = new Map<string, string[]>()
  const places = new Map<string, string>()
  sections.forEach(({ key, visible_when }, index) => {
    places.set(`section ${key}`, `/sections/${index}/visible_when`)
    edges.set(`section ${key}`, namesIn(visible_when))
  })
  questions.forEach((question, index) => {
    places.set(question.key, `/questions/${index}/visible_when`)
    edges.set(question.key, [`section ${question.section}`, ...namesIn(question.visible_when)])
    const inner = new Set(question.questions?.map(({ key }) => key))
    question.questions?.forEach(({ key, visible_when }, at) => {
      const name = `${question.key}.${key}`
      places.set(name, `/questions/${index}/questions/${at}/visible_when`)
      edges.set(name, [
        question.key,
        ...namesIn(visible_when).map((one) => (inner.has(one) ? `${question.key}.${one}` : one)),
      ])
    })
  })
  return { edges, places }
}

function namesIn(condition: Condition | undefined): string[] {
  return comparisonsOf(condition).map(({ comparison }) => comparison.question)
}

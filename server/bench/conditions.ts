import { modelOf } from '../src/building-blocks/contracts/contract-model.ts'
import { evaluate } from '../src/building-blocks/contracts/evaluation.ts'
import { alternate, type Line, say, showRatio } from './report.ts'
import type { Settings } from './throughput.ts'

const questionCount = 500
const repetitions = 500

/** 500 questions of which each decides about the next, against parsing the same answers from JSON once. */
export async function measureConditions(settings: Settings): Promise<Line[]> {
  say('Conditions')
  const questions = Array.from({ length: questionCount }, (_, i) => ({
    key: `q${i}`,
    section: 'all',
    type: 'integer' as const,
    label: `Question ${i}`,
    ...(i > 0 && { visible_when: { question: `q${i - 1}`, operator: 'gte' as const, value: 1 } }),
  }))
  const model = modelOf({ sections: [{ key: 'all', title: 'All' }], questions, option_sets: {} })
  const values = new Map(questions.map(({ key }, i) => [key, i + 1]))
  const text = JSON.stringify(Object.fromEntries(values))
  const perRun = (work: () => void) => async () => {
    const begin = performance.now()
    for (let i = 0; i < repetitions; i++) work()
    return (performance.now() - begin) / repetitions
  }
  const ours = perRun(() => {
    const { isVisible } = evaluate(model, { values, items: new Map() }, '2026-01-31')
    if (!isVisible(`q${questionCount - 1}`)) throw new Error('the last question of the chain is hidden')
  })
  const theirs = perRun(() => JSON.parse(text))
  for (const warmUp of [ours, theirs]) await warmUp()
  const comparison = await alternate(settings.rounds, ours, theirs)
  return [
    {
      figure: 'Conditions',
      measured: `${questionCount} questions in one chain of conditions`,
      engine: 'none',
      ours: `${comparison.ours.toFixed(3)} ms`,
      theirs: `JSON.parse of the answers: ${comparison.theirs.toFixed(3)} ms`,
      ratio: showRatio(comparison),
      hold: '< 1 ms',
      holds: comparison.ours < 1,
    },
  ]
}

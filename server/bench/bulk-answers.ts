import { createSend, newApplication, publishContract, type Sent } from './applications.ts'
import { type Deployment, withBothServers } from './deployments.ts'
import { alternate, type Line, say, showCount, showRatio } from './report.ts'
import type { Settings } from './throughput.ts'

const answersAtOnce = 200
/** Each writer has an application of its own: two on one would only refuse each other. */
const writers = 8

/** 200 answers in one PATCH, checked against their questions, against a bare route that keeps the same JSON. */
export async function measureBulkAnswers(settings: Settings): Promise<Line[]> {
  const lines: Line[] = []
  for (const engine of settings.engines) {
    say(`bulk answers on ${engine}`)
    const prepare = (deployment: Deployment) => publishContract(deployment, contract)
    const comparison = await withBothServers(
      engine,
      settings.clusterUrl,
      prepare,
      async (deployment, portico, bare) => {
        const send = createSend(portico.origin, deployment)
        const applications: Sent[] = []
        for (let i = 0; i < writers; i++) applications.push(await newApplication(send, deployment, `bulk-${i}`))
        let round = 0
        const ours = () =>
          count(settings.roundSeconds, async (writer) => {
            const application = applications[writer]
            if (!application) return
            const path = `client-intake-applications/${application.body.id}/answers/`
            application.etag = (await send('PATCH', path, answers(++round), { 'if-match': application.etag })).etag
          })
        const theirs = () =>
          count(settings.roundSeconds, async (writer) => {
            const response = await fetch(`${bare.origin}/v1/answers/${writer}`, {
              method: 'PATCH',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify(answers(++round)),
            })
            if (!response.ok) throw new Error(`the bare route answered ${response.status}`)
            await response.arrayBuffer()
          })
        for (const warmUp of [ours, theirs]) await warmUp()
        return alternate(settings.rounds, ours, theirs)
      },
    )
    lines.push({
      figure: 'Answers',
      measured: `PATCH of ${answersAtOnce} answers`,
      engine,
      ours: showCount(comparison.ours, 'requests/s'),
      theirs: `bare route keeping the same JSON: ${showCount(comparison.theirs, 'requests/s')}`,
      ratio: showRatio(comparison),
      hold: 'none set',
      holds: true,
    })
  }
  return lines
}

const contract = {
  kind: 'client_intake',
  title: 'Many questions',
  locale: 'en-US',
  sections: [{ key: 'all', title: 'All' }],
  questions: Array.from({ length: answersAtOnce }, (_, i) => ({
    key: `question_${i}`,
    section: 'all',
    type: i % 2 === 0 ? 'text' : 'money',
    label: `Question ${i}`,
    required: true,
  })),
}

function answers(round: number) {
  return {
    answers: contract.questions.map(({ key, type }) => ({
      question_key: key,
      value: type === 'text' ? `The answer of round ${round} to ${key}` : { amount: `${round}.50`, currency: 'USD' },
    })),
  }
}

/** Requests a second of all writers together. */
async function count(seconds: number, write: (writer: number) => Promise<void>): Promise<number> {
  const begin = performance.now()
  const end = begin + seconds * 1000
  let done = 0
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      while (performance.now() < end) {
        await write(writer)
        done++
      }
    }),
  )
  return (done * 1000) / (performance.now() - begin)
}

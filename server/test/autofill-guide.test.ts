// The guide to documents: its examples run on the demo Portal, and its table says what the run answers.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { jobs } from '../src/app.ts'
import { ensureDemo } from '../src/cli/demo.ts'
import { startWorker } from '../src/platform/background/worker.ts'
import { canonicalJson } from '../src/platform/values/canonical-json.ts'
import { type ExampleAnswer, examplesIn, readGuide, runExamples, tableOf } from './guide-examples.ts'
import { startTestServer, type TestServer } from './harness.ts'
import { describeWithTesseract, tesseract } from './tesseract.ts'

const guide = readGuide('autofill.md')
const examples = examplesIn(guide)

describeWithTesseract('the guide to documents', () => {
  let server: TestServer
  let worker: ReturnType<typeof startWorker>
  let answers: ExampleAnswer[]
  let key: string
  beforeAll(async () => {
    server = await startTestServer({ PORTICO_TESSERACT: tesseract ?? '' })
    key = (await ensureDemo(server.context))?.key ?? ''
    worker = startWorker(server.context, jobs, server.metrics, { idleMs: 20 })
    answers = await runExamples(
      examples.map(({ code }) => code),
      { PORTICO_URL: `${server.origin}/v1`, PORTICO_API_KEY: key },
    )
  })
  afterAll(async () => {
    await worker.stop()
    await server.stop()
  })

  test('every example runs, and every request of them succeeds', () => {
    expect(answers).toHaveLength(examples.length)
    for (const { statuses } of answers) expect(statuses.filter((status) => status < 200 || status > 299)).toEqual([])
    expect(answers[0]?.printed.split('\n')).toHaveLength(5)
  })

  test('the run answers what the table says, from the documents and words it says', async () => {
    const run = JSON.parse(answers[1]?.printed ?? '')
    const { items } = (await server.call('GET', run.url.replace(/autofill-runs.*/, 'files/'), { key })).body
    const filenames = new Map(items.map(({ id, filename }: { id: string; filename: string }) => [id, filename]))
    const found = run.filled.map(
      ({ question_key, value, source_detail: { reference, words } }: Filled) =>
        `${question_key}: ${canonicalJson(value)} in ${filenames.get(reference.split(',')[0])}, ${words}`,
    )
    const said = tableOf(guide, '3. What it found').map(
      ([, name = '', value = '', filename = '', words = '']) =>
        `${name.replaceAll('`', '')}: ${value.replaceAll('`', '')} in ${filename}, ${words}`,
    )
    expect(said.sort()).toEqual(found.sort())
    expect(run.suggested.map(({ question_key }: Filled) => question_key)).toEqual(['phone'])
    expect(run.problems).toMatchObject([{ code: 'read_by_ocr' }])
  })
})

interface Filled {
  question_key: string
  value: unknown
  source_detail: { reference: string; words: string }
}

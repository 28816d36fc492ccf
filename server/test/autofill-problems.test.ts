// What a run of Autofill says about documents it could not read as text, and about sources that are not there.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publishContract } from '../src/building-blocks/contracts/commands.ts'
import demoContract from '../src/cli/demo-contract.json' with { type: 'json' }
import { encryptedPdf } from './documents/hostile-documents.ts'
import { writePdf } from './documents/pdf-writer.ts'
import { pngOfSize, scanFile, scannedPdf } from './documents/scanned-pages.ts'
import { runDueJobs } from './due-jobs.ts'
import { declarationOf, upload } from './fixtures.ts'
import { newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'
import { describeWithTesseract, pretendedTesseract, tesseract } from './tesseract.ts'

const pdf = 'application/pdf'
const corpus = (name: string) => readFileSync(new URL(`../bench/autofill-corpus/tuning/${name}`, import.meta.url))

/** The demo's questions, with files of any type. */
const contract = {
  ...demoContract,
  questions: demoContract.questions.map((question) =>
    question.key === 'accounts' ? { ...question, validation: {} } : question,
  ),
}

interface Place {
  server: TestServer
  portal: TestPortal
}
const places: Place[] = []
async function open(environment: Record<string, string>): Promise<Place> {
  const server = await startTestServer({ ...environment })
  const portal = await newPortal(server)
  await server.context.database.transaction((tx) => publishContract(tx, portal.caller, contract))
  const place = { server, portal }
  places.push(place)
  return place
}
afterAll(() => Promise.all(places.map(({ server }) => server.stop())))

/** A run over one document of Larkspur Joinery Ltd. */
async function runOver({ server, portal }: Place, bytes: Buffer, type: string, sources = ['documents']) {
  const business = { body: portal.business({ legal_name: 'Larkspur Joinery Ltd', country: 'GB' }) }
  const { id: business_id } = (await portal.call('POST', 'businesses/', business)).body
  const application = (await portal.call('POST', 'client-intake-applications/', { body: { business_id } })).body
  const declared = await portal.call('POST', application.files_url, {
    body: { question_key: 'accounts', ...declarationOf(bytes, 'document', type) },
    headers: { 'if-match': application.etag },
  })
  expect(declared.status, declared.text).toBe(201)
  const sent = await upload(declared.body.upload, bytes)
  expect(sent.status, await sent.text()).toBe(200)
  const started = await portal.call('POST', `${application.url}autofill/`, { body: { sources } })
  await runDueJobs(server.context, portal.id)
  return { run: (await portal.call('GET', started.body.url)).body, file_id: declared.body.id }
}

describe('without OCR', () => {
  let place: Place
  beforeAll(async () => {
    place = await open({ PORTICO_TESSERACT: 'off' })
  })
  const scan =
    'The document has no text and may be a scan; this server has no OCR. Upload a PDF with text, or enter the answers by hand.'
  const fields = [{ name: 'f1', tooltip: 'Legal name', value: '', x: 200, y: 92, width: 200, height: 14 }]
  test.each([
    ['a scan', scannedPdf(), pdf, 'no_text', scan],
    ['a picture', scanFile('profit-and-loss.png'), 'image/png', 'no_text', scan],
    [
      'a picture in another format',
      Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1'),
      'image/gif',
      'no_text',
      'Autofill reads pictures only as PNG or JPEG. Save the picture in one of these formats.',
    ],
    [
      'text with one scanned page',
      corpus('text-page-then-scanned-page.pdf'),
      pdf,
      'no_text',
      'Page 2 has no text and may be a scan; this server has no OCR. Upload a PDF with text, or enter the answers by hand.',
    ],
    [
      'a form without values',
      writePdf([[{ x: 60, y: 100, text: 'Legal name' }]], { fields }),
      pdf,
      'empty_form',
      'The form in the document is empty. Fill in the form, save it and upload it again.',
    ],
    [
      'a document with a password',
      encryptedPdf(),
      pdf,
      'encrypted',
      'The PDF is password-protected. Save it without a password and upload it again.',
    ],
    [
      'a picture with too many pixels',
      pngOfSize(100_000, 100_000),
      'image/png',
      'too_large',
      'The picture must not have more than 36 million pixels. Save it in a smaller size.',
    ],
  ])('%s is named, with what to do', async (_name, bytes, type, code, message) => {
    const { run, file_id } = await runOver(place, bytes, type)
    expect(run.problems).toEqual([{ source: 'documents', reference: file_id, code, message }])
  })

  test('a provider that is asked for but not set up is named', async () => {
    const { run } = await runOver(place, scanFile('profit-and-loss.png'), 'image/png', ['provider', 'documents'])
    expect(run.problems).toMatchObject([{ code: 'no_text' }, { source: 'provider', code: 'not_set_up' }])
  })
})

describeWithTesseract('with OCR', () => {
  test('the values of a scan are found with their place, and the run says that OCR read them', async () => {
    const place = await open({ PORTICO_TESSERACT: tesseract ?? '' })
    const { run, file_id } = await runOver(place, scannedPdf(), pdf)
    const found = [...run.filled, ...run.suggested].map(({ question_key, candidates }) => [
      question_key,
      candidates[0].value,
      candidates[0].source_detail.reference,
    ])
    expect(found).toEqual(
      expect.arrayContaining([
        ['annual_revenue', { amount: '1204318.00', currency: 'GBP' }, `${file_id}, page 1, line 4`],
        ['annual_profit', { amount: '89108.00', currency: 'GBP' }, `${file_id}, page 1, line 8`],
        ['employee_count', 14, `${file_id}, page 1, line 10`],
      ]),
    )
    expect(run.problems).toEqual([
      {
        source: 'documents',
        reference: file_id,
        code: 'read_by_ocr',
        message: 'The document is a scan and was read by OCR, which makes mistakes. Check the values.',
      },
    ])
  })
})

describe('with an OCR program that misbehaves', () => {
  test('only the text of the scan is lost, and the next run works', async () => {
    const place = await open({ PORTICO_TESSERACT: pretendedTesseract('yes | head -c 100000000') })
    const { run } = await runOver(place, scannedPdf(), pdf)
    expect([run.state, run.filled]).toEqual(['completed', []])
    expect(run.problems).toMatchObject([{ code: 'no_text', message: expect.stringContaining('OCR failed') }])
    const next = await runOver(place, writePdf([[{ x: 60, y: 100, text: 'Number of employees: 14' }]]), pdf)
    expect(next.run.problems).toEqual([])
  })

  test('a value that OCR is not sure of is only suggested', async () => {
    const rows = ['Larkspur Joinery Ltd', 'Number of employees: 14'].flatMap((line, at) =>
      line.split(' ').map((word, index) => {
        const sureness = word === '14' ? 41 : 96
        return `5\t1\t1\t1\t${at}\t${index}\t${100 + index * 120}\t${100 + at * 60}\t110\t30\t${sureness}\t${word}`
      }),
    )
    const place = await open({
      PORTICO_TESSERACT: pretendedTesseract(`cat >/dev/null; cat <<'END'\n${rows.join('\n')}\nEND`),
    })
    const { run } = await runOver(place, scannedPdf(), pdf)
    const keys = (list: { question_key: string }[]) => list.map(({ question_key }) => question_key)
    expect(keys(run.filled)).not.toContain('employee_count')
    expect(run.suggested).toMatchObject([{ question_key: 'employee_count', candidates: [{ value: 14 }] }])
    expect(run.suggested[0].candidates[0].source_detail.confidence).toBe(0.8)
  })
})

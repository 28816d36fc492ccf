// The text of a PDF, page by page, and what was filled into its form. Only text is asked for: no picture, font or script
// of the document is run or drawn.
import { getDocumentProxy } from 'unpdf'
import { createTextCollector, type DocumentText } from './document-text.ts'
import { DocumentUnreadable } from './document-unreadable.ts'
import { fieldsOf } from './pdf-form.ts'
import { layOutLines, type PlacedText } from './text-layout.ts'

export async function readPdf(bytes: Buffer): Promise<DocumentText> {
  const document = await openPdf(bytes)
  const collector = createTextCollector()
  const form = { fields: 0, filled: 0 }
  const silent: number[] = []
  for (let number = 1; number <= document.numPages; number++) {
    if (!collector.beginPage()) break
    const page = await document.getPage(number)
    const { transform } = page.getViewport({ scale: 1 })
    const { items } = await page.getTextContent()
    const pieces: PlacedText[] = []
    for (const item of items) if ('str' in item) pieces.push(placeOf(item, transform))
    const fields = fieldsOf(await page.getAnnotations(), transform)
    form.fields += fields.count
    form.filled += fields.filled.length
    const lines = layOutLines(pieces, fields.filled)
    if (lines.every((line) => line.length === 0)) silent.push(number)
    for (const line of lines) collector.addLine(line)
    if (collector.isFull()) break
    page.cleanup()
  }
  if (silent.length === document.numPages) collector.addProblem(noText)
  else if (silent.length > 0) collector.addProblem(pagesWithoutText(silent))
  if (form.fields > 0 && form.filled === 0) collector.addProblem(emptyForm)
  return collector.finish()
}

const noText = {
  code: 'no_text',
  message: 'The document has no text; it is probably a scan. Upload a PDF with text, or enter the answers by hand.',
} as const
function pagesWithoutText(pages: readonly number[]) {
  const [first] = pages
  const named = pages.length === 1 ? `Page ${first} has` : `Pages ${pages.slice(0, 20).join(', ')} have`
  return { code: 'no_text', message: `${named} no text and may be scanned. Enter what they say by hand.` } as const
}

const emptyForm = {
  code: 'empty_form',
  message: 'The form in the document is empty. Fill in the form, save it and upload it again.',
} as const

async function openPdf(bytes: Buffer) {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), {
      verbosity: 0,
      // Nothing may be fetched or drawn, and a picture's size is the attacker's choice.
      maxImageSize: 1,
      enableXfa: false,
      disableFontFace: true,
      useSystemFonts: false,
      useWasm: false,
      useWorkerFetch: false,
    })
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException')
      throw new DocumentUnreadable(
        'encrypted',
        'The PDF is password-protected. Save it without a password and upload it again.',
      )
    throw error
  }
}

/** Where a piece stands as the page is shown, that is after the page's own rotation. */
function placeOf(
  item: { str: string; transform: unknown[]; width: number; height: number },
  page: readonly number[],
): PlacedText {
  const [a = 1, b = 0, c = 0, d = -1, e = 0, f = 0] = page
  const [, , tc = 0, td = 0, x = 0, y = 0] = item.transform.map(Number)
  const height = item.height || Math.hypot(tc, td) || 1
  return { text: item.str, x: a * x + c * y + e, y: b * x + d * y + f, width: item.width, height }
}

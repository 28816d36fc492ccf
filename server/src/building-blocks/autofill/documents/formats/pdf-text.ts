// The text of a PDF, page by page, and what was filled into its form. No font or script of the document is run or drawn;
// pictures are unpacked only on pages without text, for OCR.
import { getDocumentProxy } from 'unpdf'
import { createTextCollector, type DocumentText, type Line } from './document-text.ts'
import { DocumentUnreadable } from './document-unreadable.ts'
import { withDrawnTicks } from './drawn-ticks.ts'
import type { Ocr } from './ocr.ts'
import { fieldsOf } from './pdf-form.ts'
import { largestPicturePixels, type PdfPage, pictureOfPage } from './pdf-pictures.ts'
import { placeOf } from './pdf-pieces.ts'
import { createRuler } from './pdf-rules.ts'
import { createTagger } from './pdf-tags.ts'
import { linesOfForm } from './pdf-xfa.ts'
import { nameFields, placeInBoxes } from './ruled-boxes.ts'
import { layOutTagged } from './tagged-layout.ts'
import { layOutLines, type PlacedText } from './text-layout.ts'

export async function readPdf(bytes: Buffer, ocr: Ocr): Promise<DocumentText> {
  const document = await openPdf(bytes)
  const dynamic = (await hasXfa(document)) ? await openXfa(bytes) : undefined
  const scans = createScans(bytes, ocr)
  const { numPages } = dynamic ?? document
  const collector = createTextCollector()
  const tagged = createTextCollector()
  let isTagged = false
  const form = { fields: 0, filled: 0 }
  const lookers = { ruler: createRuler(bytes.length / numPages), tagger: createTagger() }
  for (let number = 1; number <= numPages; number++) {
    if (!collector.beginPage()) break
    tagged.beginPage()
    const page = await (dynamic ?? document).getPage(number)
    const read: PageRead = dynamic ? linesOfForm(await page.getXfa()) : await linesOfPage(page, number, scans, lookers)
    form.fields += read.fields
    form.filled += read.filled
    for (const line of read.lines) collector.addLine(line)
    for (const line of read.as_tagged ?? read.lines) tagged.addLine(line)
    isTagged ||= read.as_tagged !== undefined
    if (collector.isFull()) break
    page.cleanup()
  }
  for (const problem of ocr.problems(numPages)) collector.addProblem(problem)
  if (form.fields > 0 && form.filled === 0) collector.addProblem(emptyForm)
  if (form.fields === 0 && (await hasXfa(document))) collector.addProblem(unreadForm)
  return { ...collector.finish(), ...(isTagged && { as_tagged: tagged.finish().pages }) }
}

type OpenDocument = Awaited<ReturnType<typeof openPdf>>
type Page = Awaited<ReturnType<OpenDocument['getPage']>>

interface PageRead {
  lines: Line[]
  as_tagged?: Line[] | undefined
  fields: number
  filled: number
}

async function linesOfPage(
  page: Page,
  number: number,
  scans: ReturnType<typeof createScans>,
  { ruler, tagger }: { ruler: ReturnType<typeof createRuler>; tagger: ReturnType<typeof createTagger> },
): Promise<PageRead> {
  const { transform } = page.getViewport({ scale: 1 })
  const { items } = await page.getTextContent()
  const pieces: PlacedText[] = []
  for (const item of items) if ('str' in item) pieces.push(placeOf(item, transform))
  const { count, filled, boxes } = fieldsOf(await page.getAnnotations(), transform)
  const letters = pieces.reduce((sum, { text }) => sum + text.trim().length, 0)
  if (letters < fewLetters && count === 0) pieces.push(...(await scans.read(number, letters > 0)))
  const rules = letters < fewLetters ? undefined : await ruler.rulesOf(page)
  const boxed = placeInBoxes(withDrawnTicks(pieces, rules, boxes), rules)
  const named = nameFields(filled, pieces, rules)
  // What is filled into fields has no place in the structure of a page.
  const tags = letters < fewLetters || count > 0 ? undefined : await tagger.tagsOf(page, transform)
  return {
    lines: layOutLines(boxed, [...named, ...boxes]),
    as_tagged: tags && layOutTagged(tags),
    fields: count,
    filled: filled.length,
  }
}

/** A stamp, a page number or the name of a scanning app does not make a page one of text. */
const fewLetters = 200

/**
 * Pages that are pictures. Pictures are unpacked from the document opened once more: beside text they are left alone, because
 * their size is the sender's choice.
 */
function createScans(bytes: Buffer, ocr: Ocr) {
  let opened: ReturnType<typeof openPdf> | undefined
  const pictureOf = async (number: number, hasText: boolean) => {
    opened ??= openPdf(bytes, { maxImageSize: largestPicturePixels })
    const page: PdfPage & { cleanup(): unknown } = await (await opened).getPage(number)
    const made = await pictureOfPage(page)
    page.cleanup()
    // Beside text a picture counts only when it covers the page: others are logos.
    return made && made.covered >= (hasText ? 0.5 : 0.02) ? made : undefined
  }
  return { read: (number: number, hasText: boolean) => ocr.read(number, hasText, () => pictureOf(number, hasText)) }
}

const emptyForm = {
  code: 'empty_form',
  message: 'The form in the document is empty. Fill in the form, save it and upload it again.',
} as const

const unreadForm = {
  code: 'unread_form',
  message: 'The form in the document (XFA) could not be read. Open it, print it to a PDF file and upload that file.',
} as const

async function hasXfa(document: OpenDocument): Promise<boolean> {
  const { info } = await document.getMetadata()
  return 'IsXFAPresent' in info && info.IsXFAPresent === true
}

/** The pages of a dynamic form; undefined when the document has pages of its own, or the form is broken. */
async function openXfa(bytes: Buffer): Promise<OpenDocument | undefined> {
  try {
    const document = await openPdf(bytes, { enableXfa: true })
    await document.getPage(1)
    return document.isPureXfa ? document : undefined
  } catch {
    return undefined // its page, which asks to wait, is read instead, and the run says what is missing
  }
}

async function openPdf(bytes: Buffer, { enableXfa = false, maxImageSize = 1 } = {}) {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), {
      verbosity: 0,
      // Nothing may be fetched or drawn.
      maxImageSize,
      isOffscreenCanvasSupported: false,
      isImageDecoderSupported: false,
      enableXfa,
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

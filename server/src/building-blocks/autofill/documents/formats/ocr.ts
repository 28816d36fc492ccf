// What may be spent on the pictures of one document: pages and time. A page without text is read, or it is told why not.
import type { DocumentProblem } from './document-text.ts'
import { placeWords } from './recognised-words.ts'
import { examineTesseract, type Picture, recognise, type Tesseract } from './tesseract.ts'
import type { PlacedText } from './text-layout.ts'

interface OcrSettings {
  /** The program that reads pictures, where there is one. */
  program: string | undefined
  /** For all pictures of the document together. */
  time_ms: number
  /** Called before the first picture is unpacked. */
  onBegin?: () => void
}

/** How many points a pixel of the picture measures. */
type ScaledPicture = { picture: Picture; scale: number }

export interface Ocr {
  /** The text of a page that may be a picture, with places in points. Only a page without text of its own is told of. */
  read(page: number, hasText: boolean, makePicture: () => Promise<ScaledPicture | undefined>): Promise<PlacedText[]>
  problems(pages: number): DocumentProblem[]
}

const mostPages = 20

type Outcome = keyof typeof sentences

export function createOcr({ program, time_ms, onBegin }: OcrSettings): Ocr {
  const outcomes = new Map<number, Outcome>()
  let known: Promise<Tesseract | undefined> | undefined
  let end = 0
  const begin = (own: string) => {
    onBegin?.()
    end = performance.now() + time_ms
    return examineTesseract(own)
  }
  const attempt = async (makePicture: () => Promise<ScaledPicture | undefined>): Promise<PlacedText[] | Outcome> => {
    if (program === undefined) return 'no_program'
    known ??= begin(program)
    const tesseract = await known
    if (tesseract === undefined) return 'no_program'
    const read = [...outcomes.values()].filter((outcome) => outcome === 'read' || outcome === 'failed').length
    if (read >= mostPages || performance.now() >= end) return 'limit'
    const made = await makePicture()
    if (!made) return 'nothing'
    const table = await recognise(program, tesseract.languages, made.picture, end - performance.now())
    // Without time left it was killed for that.
    if (table === undefined) return performance.now() >= end ? 'limit' : 'failed'
    const words = placeWords(table, made.scale)
    return words.length > 0 ? words : 'nothing'
  }
  return {
    async read(page, hasText, makePicture) {
      const words = await attempt(makePicture)
      if (typeof words !== 'string') outcomes.set(page, 'read')
      else if (!hasText) outcomes.set(page, words)
      return typeof words === 'string' ? [] : words
    },
    problems(pages) {
      const kinds = new Set(outcomes.values())
      return [...kinds].map((kind) => {
        const own = [...outcomes].filter(([, outcome]) => outcome === kind).map(([page]) => page)
        return {
          code: kind === 'read' ? 'read_by_ocr' : 'no_text',
          message: sentences[kind](named(own, pages), own.length > 1 && own.length < pages),
        }
      })
    },
  }
}

const sentences = {
  read: (which: string, areMany: boolean) =>
    `${which} ${areMany ? 'are scans' : 'is a scan'} and ${areMany ? 'were' : 'was'} read by OCR, which makes mistakes. Check the values.`,
  no_program: (which: string, areMany: boolean) =>
    `${which} ${areMany ? 'have' : 'has'} no text and may be a scan; this server has no OCR. Upload a PDF with text, or enter the answers by hand.`,
  nothing: (which: string, areMany: boolean) =>
    `${which} ${areMany ? 'have' : 'has'} no text, and OCR found none. If it is not blank, upload a clearer scan, or enter the answers by hand.`,
  limit: (which: string, areMany: boolean) =>
    `${which} ${areMany ? 'were' : 'was'} not read: OCR stops after ${mostPages} pages or its time limit. Upload the relevant pages as a file of their own.`,
  failed: (which: string, areMany: boolean) =>
    `OCR failed on ${which.replace(/^[TP]/, (first) => first.toLowerCase())}. Upload ${areMany ? 'them' : 'it'} as PNG or as a new scan.`,
}

function named(pages: readonly number[], count: number): string {
  const [first] = pages
  if (pages.length === count) return 'The document'
  if (pages.length === 1) return `Page ${first}`
  const more = pages.length - 20
  return `Pages ${pages.slice(0, 20).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

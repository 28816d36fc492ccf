// Writes PDFs that say themselves what belongs together, as browsers and office programs do: marked content, and a tree
// whose leaves are its numbers.
import { deflateSync } from 'node:zlib'
import { assemblePdf, drawText, type PdfText, pageHeight, pageWidth, streamObject } from './pdf-writer.ts'

/** A part of the tree, or a mark around text. */
export type TaggedNode = { role: string; parts: readonly TaggedNode[] } | { texts: readonly PdfText[]; page?: number }

export interface TaggedOptions {
  /** Drawn on the first page, and in no part of the tree. */
  loose?: readonly PdfText[]
  /** Boxes drawn on the first page; y is the top. */
  boxes?: readonly { x: number; y: number; width: number; height: number }[]
}

export const part = (role: string, ...parts: TaggedNode[]): TaggedNode => ({ role, parts })

/** Lines below each other in one mark, as browsers write the text of a cell. */
export const marked = (x: number, y: number, ...lines: string[]): TaggedNode => ({
  texts: lines.map((text, index) => ({ x, y: y + 12 * index, text })),
})

export function writeTaggedPdf(tree: readonly TaggedNode[], { loose = [], boxes = [] }: TaggedOptions = {}): Buffer {
  const drawn: string[][] = [
    [
      ...boxes.map(({ x, y, width, height }) => `${x} ${pageHeight - y - height} ${width} ${height} re S`),
      ...loose.map((text) => `/Artifact BMC ${drawText(text)} EMC`),
    ],
  ]
  const elements: string[] = []
  const marks: { page: number; element: number }[][] = [[]]
  const add = (node: TaggedNode, parent: number): string => {
    if (!('role' in node)) {
      const page = node.page ?? 0
      marks[page] ??= []
      drawn[page] ??= []
      const mark = marks[page].push({ page, element: parent }) - 1
      drawn[page].push(`/Span << /MCID ${mark} >> BDC ${node.texts.map((text) => drawText(text)).join(' ')} EMC`)
      return `<< /Type /MCR /Pg @page${page}@ /MCID ${mark} >>`
    }
    const own = elements.push('') - 1
    const kids = node.parts.map((child) => add(child, own)).join(' ')
    elements[own] =
      `<< /Type /StructElem /S /${node.role} /P ${parent < 0 ? '@root@' : `@element${parent}@`} /K [${kids}] >>`
    return `@element${own}@`
  }
  const kids = add({ role: 'Document', parts: tree }, -1)
  const parents = marks.map((own) => own.map(({ element }) => `@element${element}@`).join(' '))
  return assembleTagged({ drawn: drawn.map((steps) => steps.join('\n')), elements, kids, parents })
}

interface TaggedParts {
  /** What each page draws. */
  drawn: readonly string[]
  elements: readonly string[]
  /** The parts that begin the tree. */
  kids: string
  /** Of each page, the elements that its marks belong to. */
  parents: readonly string[]
}

/** Also trees that are wrong: `@root@`, `@page0@` and `@element0@` stand for the objects. */
export function assembleTagged({ drawn, elements, kids, parents }: TaggedParts): Buffer {
  const firstPage = 6
  const firstElement = firstPage + drawn.length * 2
  const numbered = (text: string) =>
    Buffer.from(
      text
        .replaceAll('@root@', '5 0 R')
        .replace(/@page(\d+)@/g, (_, page) => `${firstPage + Number(page) * 2} 0 R`)
        .replace(/@element(\d+)@/g, (_, element) => `${firstElement + Number(element)} 0 R`),
    )
  const pages = drawn.flatMap((steps, index) => [
    numbered(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${pageWidth} ${pageHeight}] /StructParents ${index} ` +
        `/Contents ${firstPage + index * 2 + 1} 0 R /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>`,
    ),
    streamObject(deflateSync(Buffer.from(steps, 'latin1')), '/Filter /FlateDecode '),
  ])
  return assemblePdf([
    Buffer.from('<< /Type /Catalog /Pages 2 0 R /MarkInfo << /Marked true >> /StructTreeRoot 5 0 R >>'),
    numbered(
      `<< /Type /Pages /Kids [${drawn.map((_, index) => `@page${index}@`).join(' ')}] /Count ${drawn.length} >>`,
    ),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>'),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>'),
    numbered(
      `<< /Type /StructTreeRoot /K [${kids}] ` +
        `/ParentTree << /Nums [${parents.map((own, index) => `${index} [${own}]`).join(' ')}] >> >>`,
    ),
    ...pages,
    ...elements.map(numbered),
  ])
}

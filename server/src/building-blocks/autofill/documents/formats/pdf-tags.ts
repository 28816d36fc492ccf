// What a tagged PDF says of the structure of a page: a tree whose leaves are pieces of its text.
import { type PdfPiece, placeOf } from './pdf-pieces.ts'
import { piecesOf, type Tagged } from './tagged-layout.ts'
import type { PlacedText } from './text-layout.ts'

/** What is used of a page of pdf.js. */
interface TaggedPage {
  getStructTree(): Promise<unknown>
  getTextContent(options: { includeMarkedContent: boolean }): Promise<{ items: (PdfPiece | Mark)[] }>
}

interface Mark {
  type: string
  id?: string
}

/** Trees are the sender's choice: a page of text has far fewer parts, and is not nested that deep. */
const mostParts = 20_000
const deepest = 60

/** After so many milliseconds or pages, further ones are read as they are drawn: a table is looked at on each of its pages. */
const mostMs = 4_000
const mostPages = 40

export function createTagger() {
  let leftMs = mostMs
  let pages = 0
  return {
    /** Undefined where the page is not tagged, or not as a whole. */
    async tagsOf(page: TaggedPage, transform: readonly number[]): Promise<Tagged | undefined> {
      if (leftMs <= 0 || ++pages > mostPages) return undefined
      const begin = performance.now()
      try {
        return await tagsOf(page, transform)
      } finally {
        leftMs -= performance.now() - begin
      }
    },
  }
}

async function tagsOf(page: TaggedPage, transform: readonly number[]): Promise<Tagged | undefined> {
  // A tree that is broken says nothing; the page is read as it is drawn.
  const tree = await page.getStructTree().catch(() => undefined)
  if (!isNode(tree)) return undefined
  const { items } = await page.getTextContent({ includeMarkedContent: true })
  const texts = new Map<string, PlacedText[]>()
  const open: string[] = []
  for (const item of items) {
    if ('str' in item) {
      // Marks without a name stand within others: a ligature, for example.
      const id = open.findLast((one) => one !== '') ?? ''
      const own = texts.get(id)
      if (own) own.push(placeOf(item, transform))
      else texts.set(id, [placeOf(item, transform)])
    } else if (item.type === 'endMarkedContent') open.pop()
    else open.push(item.id ?? '')
  }
  let parts = 0
  const walk = (node: unknown, depth: number): Tagged[] => {
    if (!isNode(node) || ++parts > mostParts || depth > deepest) return []
    if (node.role === undefined) {
      const pieces = texts.get(node.id ?? '') ?? []
      texts.delete(node.id ?? '')
      return pieces.length > 0 ? [{ pieces }] : []
    }
    const own = (node.children ?? []).flatMap((child) => walk(child, depth + 1))
    return own.length > 0 ? [{ role: node.role, parts: own }] : []
  }
  const [tagged] = walk(tree, 0)
  return tagged && withEdges(tagged, [...texts.values()].flat())
}

/** What no part of the tree has: the head and the foot of the page. Between its parts it says that the tree is not whole. */
function withEdges(tagged: Tagged, rest: readonly PlacedText[]): Tagged | undefined {
  const loose = rest.filter(({ text }) => text.trim() !== '')
  if (loose.length === 0) return tagged
  const heights = piecesOf(tagged).flatMap(({ text, y }) => (text.trim() === '' ? [] : [y]))
  const top = heights.reduce((least, y) => Math.min(least, y), Number.POSITIVE_INFINITY)
  const bottom = heights.reduce((most, y) => Math.max(most, y), Number.NEGATIVE_INFINITY)
  if (heights.length === 0) return undefined
  const [head, foot] = [loose.filter(({ y }) => y < top), loose.filter(({ y }) => y > bottom)]
  if (head.length + foot.length < loose.length) return undefined
  return { role: 'Document', parts: [{ pieces: head }, tagged, { pieces: foot }] }
}

interface Node {
  role?: string
  id?: string
  children?: unknown[]
}

function isNode(node: unknown): node is Node {
  return typeof node === 'object' && node !== null
}

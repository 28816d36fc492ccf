// The pages of a dynamic XFA form, which has none of its own but a text that asks to wait. pdf.js lays the form out as a
// tree like that of HTML; its scripts are not run.
import type { Cell, Line } from './document-text.ts'

interface FormPage {
  lines: Line[]
  /** How many fields there are to be written in, and how many hold something. */
  fields: number
  filled: number
}

interface Node {
  name?: unknown
  value?: unknown
  attributes?: Record<string, unknown>
  children?: unknown
}

const deepest = 200
const mostLines = 20_000

export function linesOfForm(tree: unknown): FormPage {
  const page: FormPage = { lines: [], fields: 0, filled: 0 }
  walk(tree, 0, page)
  return page
}

function walk(node: unknown, depth: number, page: FormPage): void {
  if (!isNode(node) || depth > deepest || page.lines.length >= mostLines) return
  const isOneLine = ['xfaField', 'xfaRow', 'xfaDraw'].some((name) => classesOf(node).includes(name))
  if (!isOneLine && !isText(node)) {
    for (const child of inOrder(node)) walk(child, depth + 1, page)
    return
  }
  const line: Line = []
  collect(node, depth, line, page)
  if (line.length > 0) page.lines.push(line)
}

/** What a field or a row of a table says, from left to right: captions and values. */
function collect(node: unknown, depth: number, line: Line, page: FormPage): void {
  if (!isNode(node) || depth > deepest) return
  const isField = ['input', 'textarea', 'select'].includes(String(node.name))
  // A button is pressed, a box ticked: only what is written or chosen counts.
  const isWritten = isField && !['checkbox', 'radio', 'button'].includes(String(node.attributes?.type))
  if (isWritten) {
    page.fields++
    const text = writtenIn(node)
    if (text === '') return
    page.filled++
    const caption = line.at(-1)?.text
    line.push({ ...cellAt(line.length, text), ...(caption !== undefined && { field: caption }) })
  } else if (isText(node)) {
    const text = String(node.value).trim()
    if (text !== '') line.push(cellAt(line.length, text))
  } else if (!isField) for (const child of inOrder(node)) collect(child, depth + 1, line, page)
}

function cellAt(index: number, text: string): Cell {
  return { text: text.slice(0, 2_000), left: index * 200, right: index * 200 + 180 }
}

function writtenIn(node: Node): string {
  const { attributes = {}, value } = node
  if (node.name === 'select') {
    const chosen = inOrder(node).find((one) => isNode(one) && one.attributes?.selected === true)
    return isNode(chosen) && typeof chosen.value === 'string' ? chosen.value.trim() : ''
  }
  const text = attributes.textContent ?? attributes.value ?? value
  return typeof text === 'string' ? text.trim() : ''
}

/** Where a form places its parts itself, they stand in any order. */
function inOrder(node: Node): unknown[] {
  const children = Array.isArray(node.children) ? node.children : []
  if (!classesOf(node).includes('xfaPosition')) return children
  return children.toSorted((a, b) => placeOf(a, 'top') - placeOf(b, 'top') || placeOf(a, 'left') - placeOf(b, 'left'))
}

function placeOf(node: unknown, side: 'top' | 'left'): number {
  const style = isNode(node) ? node.attributes?.style : undefined
  const text = typeof style === 'object' && style !== null && side in style ? Reflect.get(style, side) : undefined
  return Number.parseFloat(String(text)) || 0
}

function isText(node: Node): boolean {
  return typeof node.value === 'string' && !['input', 'textarea', 'select', 'option'].includes(String(node.name))
}

function classesOf({ attributes }: Node): unknown[] {
  return Array.isArray(attributes?.class) ? attributes.class : []
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null
}

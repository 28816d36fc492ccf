// What was filled into the form of a page: its fields are drawn apart from its text.
import type { PlacedField } from './text-layout.ts'

/** The fields of a page that hold a value, how many there are to be filled, and its boxes, ticked or not. */
export function fieldsOf(
  annotations: readonly unknown[],
  page: readonly number[],
): { filled: PlacedField[]; boxes: PlacedField[]; count: number } {
  const filled: PlacedField[] = []
  const boxes: PlacedField[] = []
  let count = 0
  for (const annotation of annotations) {
    if (!isRecord(annotation) || annotation.subtype !== 'Widget' || annotation.hidden === true) continue
    const kind = annotation.fieldType
    const tick = kind === 'Btn' ? tickOf(annotation) : undefined
    const place = tick === undefined ? undefined : boxOf(annotation.rect, page)
    if (tick !== undefined && place) boxes.push({ text: tick, name: '', ...place })
    // A button is pressed, a signature signed: only texts and choices are written.
    if (kind !== 'Tx' && kind !== 'Ch') continue
    count++
    const text = writtenIn(annotation)
    const box = boxOf(annotation.rect, page)
    if (text !== '' && box) filled.push({ text, name: nameOf(annotation), ...box })
  }
  return { filled, boxes, count }
}

/** As a typed form would show it. */
function tickOf({ checkBox, radioButton, fieldValue, exportValue, buttonValue }: Record<string, unknown>) {
  if (checkBox !== true && radioButton !== true) return undefined
  const own = radioButton === true ? buttonValue : exportValue
  return typeof fieldValue === 'string' && fieldValue !== 'Off' && (own === undefined || own === fieldValue) ? '☒' : '☐'
}

function writtenIn({ fieldValue, options }: Record<string, unknown>): string {
  const value = Array.isArray(fieldValue) ? fieldValue[0] : fieldValue
  if (typeof value !== 'string') return ''
  const option = Array.isArray(options)
    ? options.find((one) => isRecord(one) && one.exportValue === value && typeof one.displayValue === 'string')
    : undefined
  return (isRecord(option) ? String(option.displayValue) : value).slice(0, 2_000).trim()
}

/** The words a form shows for a field, or its name where that is made of words. */
function nameOf({ alternativeText, fieldName }: Record<string, unknown>): string {
  if (typeof alternativeText === 'string' && alternativeText.trim() !== '') return alternativeText.slice(0, 300).trim()
  if (typeof fieldName !== 'string') return ''
  const own = fieldName.split('.').at(-1) ?? ''
  // `f1_02[0]` says nothing.
  if (/\d/.test(own) || own.length > 80) return ''
  return own
    .replace(/([\p{Ll}])(\p{Lu})/gu, '$1 $2')
    .replace(/[_\-[\]]+/g, ' ')
    .trim()
}

function boxOf(rect: unknown, [a = 1, b = 0, c = 0, d = -1, e = 0, f = 0]: readonly number[]) {
  if (!Array.isArray(rect) || rect.length !== 4 || !rect.every(Number.isFinite)) return undefined
  const [x1, y1, x2, y2] = rect.map(Number)
  const corners = [
    [x1, y1],
    [x2, y2],
  ].map(([x = 0, y = 0]) => ({ x: a * x + c * y + e, y: b * x + d * y + f }))
  const xs = corners.map(({ x }) => x)
  const ys = corners.map(({ y }) => y)
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

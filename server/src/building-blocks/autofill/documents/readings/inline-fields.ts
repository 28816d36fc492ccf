// Several fields in one text, each behind its label: `Title: Mr Last name: Lee First name: Ann`.
import { fieldOfHeader } from './person-names.ts'

interface InlineField {
  label: string
  value: string
}

const mostFields = 12
const mostWords = 6

/** Empty where what stands before a colon is not known as a label: `Meeting: 10:30`. */
export function inlineFields(text: string): InlineField[] {
  const parts = text.split(/\s?:(?=\s|$)\s*/)
  if (parts.length < 3 || parts.length > mostFields) return []
  const found: InlineField[] = []
  let label = parts[0] ?? ''
  for (const [index, part] of parts.entries()) {
    if (index === 0) continue
    const next = index === parts.length - 1 ? { value: part, label: '' } : divided(part)
    if (!next) return []
    found.push({ label, value: next.value })
    label = next.label
  }
  return found.some((field) => fieldOfHeader(field.label) !== undefined) ? found : []
}

/** The value of a label, and the label behind it. */
function divided(part: string): InlineField | undefined {
  const words = part.split(' ')
  for (let count = Math.min(mostWords, words.length); count > 0; count--) {
    const label = words.slice(-count).join(' ')
    // `Spouse name: …` is another label than `name`.
    if (/^\p{Ll}/u.test(label)) continue
    if (fieldOfHeader(label) !== undefined) return { value: words.slice(0, -count).join(' '), label }
  }
  // `50,00 Number of shares`
  const [, value, label] = /^([\d.,]+(?: ?%)?) (\p{L}[^\d]*)$/u.exec(part) ?? []
  return value !== undefined && label !== undefined ? { value, label } : undefined
}

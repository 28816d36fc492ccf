// Documents of a fictitious business, made with office programs, for a first run of Autofill.
import { readFileSync } from 'node:fs'
import type { DemoFile } from './demo-uploads.ts'

const pdf = 'application/pdf'
const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const excel = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

const documents: readonly (readonly [question_key: string, filename: string, content_type: string])[] = [
  ['tax_return', 'tax-return-2025.pdf', pdf],
  ['bank_statements', 'bank-statement-2026-10.pdf', pdf],
  ['accounts', 'profit-and-loss-2025.xlsx', excel],
  ['accounts', 'shareholders.docx', word],
  ['accounts', 'payroll-summary-scan.pdf', pdf],
]

export function demoDocuments(): DemoFile[] {
  // Beside the built program as well as beside its source.
  const folder = new URL(
    import.meta.url.endsWith('.ts') ? '../../demo-documents/' : '../demo-documents/',
    import.meta.url,
  )
  return documents.map(([question_key, filename, content_type]) => ({
    question_key,
    filename,
    content_type,
    bytes: readFileSync(new URL(filename, folder)),
  }))
}

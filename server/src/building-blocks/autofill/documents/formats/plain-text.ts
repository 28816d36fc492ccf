// Plain text: a form feed begins a page, as in reports that were made for a printer.
import { decodeText } from './decode-text.ts'
import { createTextCollector, type DocumentText } from './document-text.ts'

export function readPlainText(bytes: Buffer): DocumentText {
  const collector = createTextCollector()
  const text = decodeText(bytes)
  for (const page of text.split('\f')) {
    if (!collector.beginPage()) break
    for (const line of page.split(/\r\n|[\n\r]/)) {
      collector.addText(line)
      if (collector.isFull()) break
    }
  }
  if (text.trim() === '') collector.addProblem({ code: 'no_text', message: 'The file is empty.' })
  return collector.finish()
}

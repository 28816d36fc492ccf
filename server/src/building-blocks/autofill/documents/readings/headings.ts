// The name of the subject where no label stands: in headings, letterheads and footers.

import { wordsOf } from '../words/phrases.ts'
import { legalFormPhrases } from '../words/vocabulary.ts'
import { isSubject, mentionsSubject, type Subject } from './company-names.ts'
import type { Parties } from './parties.ts'
import { placeOf, type ReadDocument } from './places.ts'
import type { Reading } from './reading.ts'

/** What a title or a ticked box says of the legal form. */
export function readForms({ pages }: ReadDocument): Reading[] {
  return pages.slice(0, 5).flatMap(({ lines }) =>
    lines.slice(0, 80).flatMap((line): Reading[] => {
      const base = { fact: 'business.legal_form', label: line.text, doubts: [], place: placeOf(line) }
      const ticked = /[☒☑✓✔]\s*([\p{L} -]{2,40})/u.exec(line.text)?.[1]
      const phrase = legalFormPhrases.in(wordsOf(line.text.slice(0, 300)))?.meaning[0]
      return [ticked, phrase].flatMap((value) => (value === undefined ? [] : [{ ...base, value: value.trim() }]))
    }),
  )
}

/** The legal name, once, where it stands by itself or in a title. */
export function readHeadings(
  { pages }: ReadDocument,
  { names, standing }: Parties,
  { legal_name }: Subject,
): Reading[] {
  if (!legal_name || standing === 'absent' || standing === 'other') return []
  const own = names.filter((name) => isSubject(legal_name, [name]))
  for (const { lines } of pages)
    for (const line of lines)
      for (const { text } of line.cells)
        if (mentionsSubject(text, own))
          return [
            {
              fact: 'business.legal_name',
              value: isSubject(text, own) ? text : legal_name,
              label: 'heading',
              doubts: [],
              place: placeOf(line),
            },
          ]
  return []
}

// What French companies must write on everything they send: `LEE BOULANGERIE`, and below or behind the name `Société à
// responsabilité limitée au capital de 20 000 euros`.
import { isLegalForm } from '../../legal-form-names.ts'
import { isSubject } from './company-names.ts'
import type { Parties } from './parties.ts'
import { placeOf, type ReadDocument } from './places.ts'
import type { Reading } from './reading.ts'

const clause =
  /^(\p{L}[\p{L}’' -]{10,60}?)\s+au capital (?:social |variable )?de\s+\d[\d\s.,']*(?:€|euros?|EUR|CHF|F)?\s?[.,;]?$/iu

export function readFormWithCapital({ pages }: ReadDocument, { names }: Parties): Reading[] {
  return pages.slice(0, 3).flatMap(({ lines }) =>
    lines.flatMap((line, index) =>
      line.cells.flatMap(({ text }, at): Reading[] => {
        const [, form = ''] = clause.exec(text.slice(0, 200)) ?? []
        if (form === '' || !isLegalForm(form)) return []
        const above = at === 0 ? lines[index - 1]?.text : line.cells[at - 1]?.text
        if (!isSubject(above ?? '', names)) return []
        return [{ fact: 'business.legal_form', value: form, label: text, doubts: [], place: placeOf(line) }]
      }),
    ),
  )
}

// Whether a text looks like the name of an organisation, whoever it is.
import { periods } from '../words/figure-words.ts'
import { wordsOf } from '../words/phrases.ts'
import { remembered } from '../words/remembered.ts'
import { articles, companyWords, legalForms, sectionWords } from '../words/vocabulary.ts'
import { joining } from './forms-in-names.ts'

/** Whether a text looks like the name of an organisation. */
export const isOrganisation = remembered((text): boolean => {
  if (text.length > 90) return false
  // `Ballinhassig, Co. Cork` lies in a county.
  const placeless = text.replace(/,\s*Co\.?\s+(?=\p{Lu}\p{Ll})/gu, ', ')
  const raw = placeless.replace(/\b(\p{L})\.(?=\s?\p{L}\b|\s|$)/gu, '$1').match(/[\p{L}\p{N}&'’-]+/gu) ?? []
  if (raw.length < 2 || raw.length > 10 || !/^[\p{Lu}\p{N}]/u.test(raw[0] ?? '')) return false
  const words = raw.flatMap(wordsOf)
  // `T2 Corporation Income Tax Return`
  if (words.some((_, at) => at > 0 && at + (periods.titles.at(words, at)?.length ?? 0) === words.length)) return false
  // `GFA Mas des Cigales`, `SCI du Moulin`: in French the form may lead; `SARL au capital de …` is no name.
  const named = raw.slice(1).find((word) => !/^(?:d[eu]s?|l[ae]s?|[dl])$/i.test(word))
  if (leadingForms.has(raw[0] ?? '') && /^\p{Lu}/u.test(named ?? '')) return true
  for (let at = 1; at < words.length; at++) {
    const form = legalForms.at(words, at)
    // `Return for an S Corporation`, `Articles of a Limited Company`: a kind of company, not one of them.
    const before = words[at - 1]?.length === 1 && !articles.has(writtenOf(raw, words[at - 1] ?? '')) ? at - 2 : at - 1
    if (form && articles.has(writtenOf(raw, words[before] ?? ''))) continue
    // `1190 SE Wilson Ave` is a street to the south-east.
    const isSide = words[at] === 'se' && /^\d+$/.test(words[at - 1] ?? '') && at + 1 < words.length
    if (form && isSide) continue
    // `co`, `sa`, `ag` and others are words too: only as they are written in names.
    if (form && (form.length > 1 || isWrittenAsForm(raw, words[at] ?? ''))) return true
  }
  // `GRUPO II.` is a class of something.
  if (words.every((word) => companyWords.at([word], 0) || /^(?:[ivx]+|\d+|[a-z])$/.test(word))) return false
  const isCapitalised = raw.filter((word) => /^\p{Lu}/u.test(word)).length >= Math.ceil(raw.length * 0.6)
  // `Financial Year End` and `Financial Information` are no financial companies.
  const isSection = words.every((word) => sectionWords.has(word) || companyWords.at([word], 0) || joining.has(word))
  if (periods.year.in(words) !== undefined || isSection) return false
  return isCapitalised && companyWords.in(words) !== undefined && !/:\s*$/.test(text)
})

const leadingForms = new Set('SARL SAS SASU EURL SCI SNC EARL GAEC SCEA GFA SCP SELARL SCOP SCIC GIE'.split(' '))

function writtenOf(raw: readonly string[], word: string): string {
  // `Beteiligungs-GmbH`
  return raw.flatMap((one) => [...one.split('-'), one]).findLast((one) => wordsOf(one)[0] === word) ?? ''
}

/** `co`, `sa`, `ag` and others are words too: in names they are written otherwise. */
export function isWrittenAsForm(raw: readonly string[], form: string): boolean {
  const written = writtenOf(raw, form)
  return /^\p{Lu}/u.test(written) || /^(gmbh|mbh|e ?k)$/i.test(written)
}

// What Autofill makes of a document against the facts that were written beside it before anybody read it.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FoundFact } from '../src/building-blocks/autofill/documents/facts/found-fact.ts'
import { isSameName } from '../src/building-blocks/autofill/documents/readings/company-names.ts'
import type { Fact } from '../src/building-blocks/autofill/facts.ts'
import { planFill } from '../src/building-blocks/autofill/fill-plan.ts'
import type { AutofillOutcome } from '../src/building-blocks/autofill/schema.ts'
import { readAs } from '../src/building-blocks/autofill/value-reading.ts'
import { modelOf } from '../src/building-blocks/contracts/contract-model.ts'
import { emptySheet } from '../src/building-blocks/questionnaires/sheet.ts'
import contract from './autofill-contract.json' with { type: 'json' }

interface WrittenFacts {
  kind: string
  language: string
  content_type: string
  record: Record<string, string | undefined> & { legal_name: string; country: string }
  facts: { fact: string; value: string; currency?: string; expect: 'fill' | 'suggest' }[]
  people: (Record<string, unknown> & { first_name: string; last_name: string; expect: 'fill' | 'suggest' })[]
  problems: string[]
}

export interface CorpusDocument {
  name: string
  path: string
  written: WrittenFacts
}

const corpus = new URL('./autofill-corpus/', import.meta.url)

/** `everyday`: what small businesses hand in, held out like the second half. */
export const parts = ['tuning', 'held-out', 'everyday'] as const

export function documentsOf(part: (typeof parts)[number]): CorpusDocument[] {
  const folder = new URL(`${part}/`, corpus).pathname
  const names = readdirSync(folder)
  return names
    .filter((name) => name.endsWith('.facts.json'))
    .sort()
    .flatMap((name) => {
      const base = name.slice(0, -'.facts.json'.length)
      const document = names.find(
        (other) => other.startsWith(`${base}.`) && other !== name && !other.slice(base.length + 1).includes('.'),
      )
      // safe because the corpus has this form
      const written = JSON.parse(readFileSync(join(folder, name), 'utf8')) as WrittenFacts
      return document ? [{ name: base, path: join(folder, document), written }] : []
    })
}

// safe because the contract is checked by its test of publication
const model = modelOf(contract as unknown as Parameters<typeof modelOf>[0])

/** What the reading process found, as a run takes it up. */
export function factsOf(found: readonly FoundFact[]): Fact[] {
  return found.map(({ text: value, page, line, words, period, ...rest }) => ({
    ...rest,
    value,
    evidence: { page, line, words, period: period ?? null },
    source: 'documents',
    reference: `fil_1, page ${page}, line ${line}`,
  }))
}

/** The facts as a run would plan them, from this document alone. */
export function planOf(
  found: readonly Fact[],
  { record }: WrittenFacts,
  today: string,
): Omit<AutofillOutcome, 'problems'> {
  const known = Object.entries(record).map(
    ([name, value]) =>
      ({ fact: `business.${name}`, value, source: 'business', reference: null, confidence: 0.95 }) as const,
  )
  let items = 0
  return planFill({
    model,
    sheet: emptySheet,
    facts: [...found, ...known],
    mode: 'fill_empty',
    sources: new Set(['documents']),
    now: `${today}T12:00:00.000Z`,
    isOpen: () => true,
    newItemId: () => `itm_${items++}`,
  }).outcome
}

export interface Judged {
  document: string
  fact: string
  got: string
  confidence: number
  /** `wrong`: not written down, or only to be suggested. */
  verdict: 'right' | 'wrong'
}

export interface Score {
  filled: Judged[]
  /** Facts to be filled that were not. */
  missed: { document: string; fact: string; wanted: string; suggested: boolean }[]
  wanted: number
  /** Every candidate that was offered, for the calibration. */
  candidates: Judged[]
}

export function score({ name, written }: CorpusDocument, outcome: Omit<AutofillOutcome, 'problems'>): Score {
  const filled: Judged[] = []
  const candidates: Judged[] = []
  const found = new Set<unknown>()
  const judge = (fact: string, value: unknown, confidence: number): Judged => {
    const same = written.facts.filter((one) => one.fact === fact && isSame(fact, value, one, written))
    const isRight = same.some(({ expect }) => expect === 'fill')
    return { document: name, fact, got: textOf(value), confidence, verdict: isRight ? 'right' : 'wrong' }
  }
  for (const { question_key, value, source_detail } of outcome.filled) {
    if (question_key === 'owners') {
      const { judged, person } = judgePerson(name, written, value, source_detail.confidence)
      filled.push(...judged)
      if (person?.expect === 'fill') found.add(person)
      continue
    }
    const fact = factOf(question_key)
    const judged = judge(fact, value, source_detail.confidence)
    filled.push(judged)
    for (const one of written.facts) if (one.fact === fact && isSame(fact, value, one, written)) found.add(one)
  }
  for (const offer of [...outcome.filled, ...outcome.suggested]) {
    if (offer.question_key === 'owners') continue
    const fact = factOf(offer.question_key)
    for (const { value, source_detail } of offer.candidates) {
      if (source_detail.kind !== 'documents') continue
      const isRight = written.facts.some((one) => one.fact === fact && isSame(fact, value, one, written))
      candidates.push({
        document: name,
        fact,
        got: textOf(value),
        confidence: source_detail.confidence,
        verdict: isRight ? 'right' : 'wrong',
      })
    }
  }
  const wanted = [...written.facts, ...written.people].filter(({ expect }) => expect === 'fill')
  const missed = wanted
    .filter((one) => !found.has(one))
    .map((one) => {
      const fact = 'fact' in one ? String(one.fact) : 'owner'
      const value = 'fact' in one ? String(one.value) : `${one.first_name} ${one.last_name}`
      const suggested = outcome.suggested.some((offer) =>
        'fact' in one
          ? factOf(offer.question_key) === fact &&
            offer.candidates.some((candidate) =>
              isSame(
                fact,
                candidate.value,
                { value, ...('currency' in one && { currency: String(one.currency) }) },
                written,
              ),
            )
          : offer.question_key === 'owners' && words(textOf(offer.value)).includes(words(String(one.last_name))),
      )
      return { document: name, fact, wanted: value, suggested }
    })
  return { filled, missed, wanted: wanted.length, candidates }
}

function judgePerson(document: string, { people }: WrittenFacts, value: unknown, confidence: number) {
  // safe because an item is planned as an object of its values
  const own = value as Record<string, unknown>
  const person = people.find(
    (one) =>
      words(one.first_name) === words(String(own.first_name)) && words(one.last_name) === words(String(own.last_name)),
  )
  const fields = Object.entries(own).filter(([field]) => field !== 'first_name' && field !== 'last_name')
  const isRight = (field: string, got: unknown) =>
    person !== undefined && person.expect === 'fill' && isSamePart(person[field], got)
  const name = `${own.first_name} ${own.last_name}`
  const judged: Judged[] = [
    { document, fact: 'owner', got: name, confidence, verdict: person?.expect === 'fill' ? 'right' : 'wrong' },
    ...fields.map(
      ([field, got]): Judged => ({
        document,
        fact: `owner.${field}`,
        got: `${name}: ${textOf(got)}`,
        confidence,
        verdict: isRight(field, got) ? 'right' : 'wrong',
      }),
    ),
  ]
  return { judged, person }
}

function isSamePart(wanted: unknown, got: unknown): boolean {
  if (wanted === undefined || wanted === null) return false
  if (Number.isFinite(Number(wanted)) && wanted !== '') return Math.abs(Number(wanted) - Number(got)) < 0.005
  return words(String(wanted)) === words(textOf(got))
}

function factOf(key: string): string {
  return `business.${key}`
}

function isSame(
  fact: string,
  got: unknown,
  wanted: { value: string; currency?: string },
  { record }: WrittenFacts,
): boolean {
  const question = model.contract.questions.find(({ maps_to }) => maps_to === fact)
  if (isMoney(got)) {
    const isAmount = Math.abs(Number(got.amount) - Number(wanted.value)) < 0.005
    return isAmount && (wanted.currency === undefined || wanted.currency === got.currency)
  }
  const read = question && readAs(model, question, String(wanted.value), { country: record.country }, '2026-11-16')
  // Documents shout: `CALLE MAYOR 3` is `Calle Mayor 3`.
  if (read !== undefined && words(textOf(read)) === words(textOf(got))) return true
  const [a, b] = [words(textOf(got)), words(String(wanted.value))]
  if (a === b) return true
  if (fact === 'business.tax_id' || fact === 'business.registration_number')
    return a.replaceAll(' ', '') === b.replaceAll(' ', '')
  if (fact === 'business.website') return bareLink(String(got)) === bareLink(String(wanted.value))
  if (fact === 'business.legal_name') return isSameName(String(got), String(wanted.value))
  if (fact === 'business.registered_address')
    return [...new Set(b.split(' '))].every((word) => a.includes(word)) && a.length < b.length + 12
  return false
}

function isMoney(value: unknown): value is { amount: string; currency: string } {
  return typeof value === 'object' && value !== null && 'amount' in value && 'currency' in value
}

function bareLink(text: string): string {
  return text
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/\/$/, '')
}

function textOf(value: unknown): string {
  if (isMoney(value)) return `${value.amount} ${value.currency}`
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .filter(([name]) => name !== 'country')
    .map(([name, part]) => (name === 'region' ? String(part).slice(3) : String(part)))
    .join(' ')
}

function words(text: string): string {
  return (
    text
      .toLowerCase()
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).join(' ')
}

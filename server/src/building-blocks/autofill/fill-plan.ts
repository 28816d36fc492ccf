// What a run of Autofill comes to. Pure: the contract, what has been said, what was found.
//   The likeliest value is written, unless another source says something else with about the same confidence: then both
//   are suggested. What a document says is never written against the record, whether or not the record was asked for.
//   What is confirmed or declined stays. Questions and groups that stay hidden are left alone.
import type { ContractModel } from '../contracts/contract-model.ts'
import type { GroupedQuestion, Question } from '../contracts/contract-schema.ts'
import { evaluate } from '../contracts/evaluation.ts'
import {
  answerSetOf,
  type GivenAnswer,
  type GivenValue,
  type Item,
  type Sheet,
  type SourceDetail,
  withWritten,
} from '../questionnaires/sheet.ts'
import { disputeWithin, fillFrom } from './confidence.ts'
import { weighTogether } from './contradictions.ts'
import { type Fact, isAskedBy, sourcesOf } from './facts.ts'
import { matchRows } from './row-matching.ts'
import { isSameAnswer } from './same-answers.ts'
import type { AutofillMode, AutofillOutcome, skipReasons } from './schema.ts'
import { readAs } from './value-reading.ts'

interface Candidate {
  value: unknown
  source_detail: SourceDetail
}

interface FillPlan {
  answers: GivenAnswer[]
  /** Items with new values, and new items. */
  items: Item[]
  outcome: Omit<AutofillOutcome, 'problems'>
}

interface FillRequest {
  model: ContractModel
  sheet: Sheet
  facts: readonly Fact[]
  mode: AutofillMode
  sources: ReadonlySet<string>
  now: string
  /** Whether a question of the top level may be written now. */
  isOpen(key: string): boolean
  /** Makes the id of a new item. */
  newItemId(): string
}

export function planFill(given: FillRequest): FillPlan {
  const request = { ...given, facts: weighTogether(given.facts) }
  const { model, sheet, now } = request
  const plan: FillPlan = { answers: [], items: [], outcome: { filled: [], suggested: [], skipped: [] } }
  for (const question of model.contract.questions) {
    const sources = sourcesOf(question, undefined, request.sources)
    if (!request.isOpen(question.key)) {
      const place = { question_key: question.key, group_key: null, item_id: null }
      if (sources.size > 0) plan.outcome.skipped.push({ ...place, reason: 'not_editable' })
      continue
    }
    if (question.type === 'group') planGroup(request, question, sources, plan)
    else if (sources.size > 0) planQuestion(request, question, sources, plan)
  }
  return leaveHiddenAlone(model, sheet, plan, now.slice(0, 10))
}

function planQuestion(request: FillRequest, question: Question, sources: Set<string>, plan: FillPlan): void {
  const { facts, sheet, now } = request
  const relevant = facts.filter(
    (fact) => isAskedBy(fact, question) && fact.row === undefined && sources.has(fact.source),
  )
  const answer = sheet.answers.get(question.key)
  const decision = decide(request, question, relevant, answer)
  const place = { question_key: question.key, group_key: null, item_id: null }
  if (record(plan, place, decision) && decision.kind === 'fill') {
    plan.answers.push({ question_key: question.key, ...filledValue(decision.candidates, now) })
  }
}

function planGroup(request: FillRequest, group: Question, groupSources: Set<string>, plan: FillPlan): void {
  const { facts, sheet, now, mode } = request
  const inner = (group.questions ?? []).filter((question) => question.maps_to !== undefined)
  const names = new Set(inner.map(({ maps_to }) => maps_to))
  const isAllowed = (fact: Fact) =>
    inner.some(
      (question) => isAskedBy(fact, question, group) && sourcesOf(question, group, request.sources).has(fact.source),
    )
  const rows = matchRows(facts.filter((fact) => fact.row !== undefined && names.has(fact.fact) && isAllowed(fact)))
  const items = sheet.items.get(group.key) ?? []
  const noPlace = { question_key: group.key, group_key: group.key, item_id: null }
  if (rows.length === 0) {
    if (groupSources.size > 0) plan.outcome.skipped.push({ ...noPlace, reason: 'nothing_found' })
    return
  }
  const known = new Map(items.map((item) => [identityOfItem(inner, item), item]))
  let count = items.length
  for (const row of rows) {
    const item = known.get(row.identity)
    if (item) planItem(request, group, inner, item, row.facts, plan)
    else {
      const found = inner.flatMap((question) => {
        const decision = decide(
          { ...request, mode: 'fill_empty' },
          question,
          factsOf(row.facts, question, group),
          undefined,
        )
        return 'candidates' in decision && decision.candidates.length > 0 ? [{ question, ...decision }] : []
      })
      if (found.length === 0) continue
      const value = Object.fromEntries(found.map(({ question, candidates }) => [question.key, candidates[0]?.value]))
      const source_detail = weakest(found.map(({ candidates }) => candidates[0]?.source_detail))
      // Where sources disagree about a part, the item as the others have it is a candidate too.
      const others = found.flatMap(({ question, candidates }) =>
        candidates.slice(1).map((one) => ({ ...one, value: { ...value, [question.key]: one.value } })),
      )
      const candidates = [{ value, source_detail }, ...others]
      const isSure = found.every(({ kind }) => kind === 'fill')
      if (count >= (group.repeat?.max ?? 0)) plan.outcome.skipped.push({ ...noPlace, reason: 'full' })
      // A list somebody has begun is theirs: what else was found is offered, not added.
      else if (mode === 'suggest_only' || items.length > 0 || !isSure)
        plan.outcome.suggested.push({ ...noPlace, value, candidates })
      else {
        count++
        const id = request.newItemId()
        const values = new Map(found.map((one) => [one.question.key, filledValue(one.candidates, now)]))
        plan.items.push({ id, group_key: group.key, position: count, values, created_at: now, updated_at: now })
        plan.outcome.filled.push({ ...noPlace, item_id: id, value, source_detail, candidates })
      }
    }
  }
}

/** The values of an item that is there already. */
function planItem(
  request: FillRequest,
  group: Question,
  inner: readonly GroupedQuestion[],
  item: Item,
  facts: readonly Fact[],
  plan: FillPlan,
): void {
  const values = new Map(item.values)
  for (const question of inner) {
    const relevant = factsOf(facts, question, group)
    if (relevant.length === 0) continue
    const decision = decide(request, question, relevant, item.values.get(question.key))
    const place = { question_key: question.key, group_key: group.key, item_id: item.id }
    if (record(plan, place, decision) && decision.kind === 'fill')
      values.set(question.key, filledValue(decision.candidates, request.now))
  }
  if (plan.outcome.filled.some(({ item_id }) => item_id === item.id))
    plan.items.push({ ...item, values, updated_at: request.now })
}

type Decision =
  | { kind: 'fill'; candidates: Candidate[] }
  | { kind: 'suggest'; candidates: Candidate[] }
  | { kind: 'skip'; reason: (typeof skipReasons)[number] }

/** What to do about one question, given what was found for it and what is there. */
function decide(
  { model, mode, now, facts: all }: FillRequest,
  question: Question | GroupedQuestion,
  facts: readonly Fact[],
  current: GivenValue | undefined,
): Decision {
  if (current?.state === 'declined') return { kind: 'skip', reason: 'declined' }
  if (current?.confirmed) return { kind: 'skip', reason: 'confirmed' }
  if (facts.length === 0) return { kind: 'skip', reason: current ? 'already_answered' : 'nothing_found' }
  const candidates = candidatesOf(model, question, facts, countryIn(all), now.slice(0, 10))
  const best = candidates[0]
  if (!best) return { kind: 'skip', reason: 'does_not_fit' }
  if (current && isSameAnswer(question.maps_to, current.value, best.value))
    return { kind: 'skip', reason: 'already_answered' }
  const rivals = rivalsOf(model, question, best, all, now.slice(0, 10))
  if (rivals.length > 0) return { kind: 'suggest', candidates: [...candidates, ...rivals] }
  if (mode === 'suggest_only') return { kind: 'suggest', candidates }
  if (current && mode === 'fill_empty') return { kind: 'suggest', candidates }
  const isUnsure =
    best.source_detail.confidence < fillFrom[best.source_detail.kind === 'documents' ? 'documents' : 'others']
  return { kind: isDisputed(candidates) || isUnsure ? 'suggest' : 'fill', candidates }
}

/** What the record says instead of a document, where the record itself was not asked for. */
function rivalsOf(
  model: ContractModel,
  question: Question | GroupedQuestion,
  best: Candidate,
  all: readonly Fact[],
  today: string,
): Candidate[] {
  if (best.source_detail.kind !== 'documents') return []
  const known = all.filter(
    ({ fact, source, row }) => fact === question.maps_to && source === 'business' && row === undefined,
  )
  return candidatesOf(model, question, known, countryIn(all), today).filter(
    ({ value }) => !isSameAnswer(question.maps_to, value, best.value),
  )
}

function isDisputed([best, next]: readonly Candidate[]): boolean {
  return !!best && !!next && best.source_detail.confidence - next.source_detail.confidence < disputeWithin
}

/** Each value once, with its best source, the likeliest first. */
function candidatesOf(
  model: ContractModel,
  question: Question | GroupedQuestion,
  facts: readonly Fact[],
  country: string | null,
  today: string,
): Candidate[] {
  const candidates: Candidate[] = []
  for (const { value: found, source, reference, confidence, evidence } of facts) {
    const value = readAs(model, question, found, { country }, today)
    if (value === undefined) continue
    const candidate: Candidate = { value, source_detail: { kind: source, reference, confidence, ...evidence } }
    const at = candidates.findIndex((one) => isSameAnswer(question.maps_to, one.value, value))
    if (at === -1) candidates.push(candidate)
    else if ((candidates[at]?.source_detail.confidence ?? 0) < confidence) candidates[at] = candidate
  }
  return candidates.sort((a, b) => b.source_detail.confidence - a.source_detail.confidence)
}

/** Notes a decision; true when the value is to be written. */
function record(
  { outcome }: FillPlan,
  place: { question_key: string; group_key: string | null; item_id: string | null },
  decision: Decision,
): boolean {
  if (decision.kind === 'skip') {
    outcome.skipped.push({ ...place, reason: decision.reason })
    return false
  }
  const { kind, candidates } = decision
  const [best] = candidates
  if (!best) return false
  const { value, source_detail } = best
  if (kind === 'fill') outcome.filled.push({ ...place, value, source_detail, candidates })
  else outcome.suggested.push({ ...place, value, candidates })
  return kind === 'fill'
}

function filledValue(candidates: readonly Candidate[], now: string): GivenValue {
  const [best] = candidates
  return {
    value: best?.value,
    state: 'answered',
    source: 'autofill',
    source_detail: best?.source_detail ?? null,
    confirmed: false,
    updated_at: now,
  }
}

/** Values written to questions that nobody is asked are taken out again. */
function leaveHiddenAlone(model: ContractModel, sheet: Sheet, plan: FillPlan, today: string): FillPlan {
  const evaluation = evaluate(model, answerSetOf(model, withWritten(sheet, plan)), today)
  const isAsked = ({ question_key, group_key }: { question_key: string; group_key: string | null }) =>
    evaluation.isVisible(group_key ?? question_key)
  const { filled, suggested, skipped } = plan.outcome
  const hidden = [...filled, ...suggested]
    .filter((one) => !isAsked(one))
    .map(({ question_key, group_key, item_id }) => ({ question_key, group_key, item_id, reason: 'hidden' as const }))
  return {
    answers: plan.answers.filter(({ question_key }) => evaluation.isVisible(question_key)),
    items: plan.items.filter(({ group_key }) => evaluation.isVisible(group_key)),
    outcome: {
      filled: filled.filter(isAsked),
      suggested: suggested.filter(isAsked),
      skipped: [...skipped.map((one) => (isAsked(one) ? one : { ...one, reason: 'hidden' as const })), ...hidden],
    },
  }
}

function factsOf(facts: readonly Fact[], question: GroupedQuestion, group: Question): Fact[] {
  return facts.filter((fact) => isAskedBy(fact, question, group))
}

/** Where the business is, as far as anything says: numbers and dates are written differently from place to place. */
function countryIn(facts: readonly Fact[]): string | null {
  const found = facts.find(({ fact, value }) => fact === 'business.country' && typeof value === 'string')
  return found && typeof found.value === 'string' ? found.value : null
}

function identityOfItem(inner: readonly GroupedQuestion[], item: Item): string {
  const facts = inner.flatMap(({ key, maps_to = '' }) => {
    const given = item.values.get(key)
    return given?.state === 'answered' ? [{ fact: maps_to, value: given.value }] : []
  })
  return (
    matchRows(facts.map((fact) => ({ ...fact, source: 'business', reference: null, confidence: 1, row: 0 })))[0]
      ?.identity ?? ''
  )
}

function weakest(details: readonly (SourceDetail | undefined)[]): SourceDetail {
  const [first, ...rest] = details.filter((detail) => detail !== undefined)
  const start = first ?? { kind: 'documents', reference: null, confidence: 0 }
  return rest.reduce((weak, detail) => (detail.confidence < weak.confidence ? detail : weak), start)
}

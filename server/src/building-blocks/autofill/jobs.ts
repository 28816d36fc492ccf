import type { JobDefinition, RunningJob } from '../../platform/background/jobs.ts'
import { isoTime, minute, second } from '../../platform/clock.ts'
import type { Caller, Context } from '../../platform/context.ts'
import { inTransaction } from '../../platform/database/races.ts'
import { ApiError } from '../../platform/protocol/errors.ts'
import { newId } from '../../platform/values/ids.ts'
import { isOpen, requireEditable } from '../questionnaires/editing.ts'
import { loadQuestionnaire } from '../questionnaires/load-questionnaire.ts'
import { autofillJob, completeRun, failRun, RunHasEnded } from './commands.ts'
import { factsOfDocuments, subjectOf } from './document-facts.ts'
import { createDocumentReader, type DocumentReader } from './documents/process/document-reader.ts'
import { factsOfEarlierAnswers } from './earlier-answers.ts'
import type { Gathered } from './facts.ts'
import type { Knowledge } from './knowledge.ts'
import { factsOfProvider } from './provider.ts'
import { findRun, type RunRow, updateRun } from './queries.ts'
import { runStates } from './states.ts'

/** The work of Autofill, for the kinds of applications somebody knows something about. */
export function autofillJobs(knowledge: readonly Knowledge[]): JobDefinition[] {
  const reader = createDocumentReader({})
  return [
    {
      kind: autofillJob,
      timeout_ms: 4 * minute,
      maximum_attempts: 3,
      // Somebody waits for it, and cannot start another run meanwhile.
      waits_ms: [2 * second, 15 * second],
      async giveUp(context, { portal_id, payload, request_id }) {
        const run = await findRun(context.database.read, portal_id, String(payload.run_id))
        const known = run && knownTo(knowledge, run)
        if (run && known && run.state !== 'completed' && run.state !== 'failed')
          await fail({ context, portal_id, request_id }, known, run)
      },
      async run(context, job) {
        const run = await begin(context, job)
        if (!run) return
        const known = knownTo(knowledge, run)
        if (!known) throw new Error(`no Autofill knowledge is registered for ${run.application_id}`)
        try {
          await work(context, reader, known, run, job)
        } catch (error) {
          if (error instanceof RunHasEnded) return
          // A database error is worth a retry; any other error would only happen again.
          if (context.database.troubleOf(error) || job.signal.aborted) throw error
          const isExpected = error instanceof ApiError
          if (!isExpected) context.log.error({ err: error, run_id: run.id }, 'an Autofill run failed unexpectedly')
          const { portal_id, request_id } = job
          await fail({ context, portal_id, request_id }, known, run, isExpected ? error : undefined)
        }
      },
    },
  ]
}

function knownTo(knowledge: readonly Knowledge[], { application_id }: RunRow): Knowledge | undefined {
  return knowledge.find(({ kind }) => application_id.startsWith(`${kind.id_prefix}_`))
}

async function fail(
  caller: Caller,
  { kind }: Knowledge,
  run: RunRow,
  reason: { code: string; message: string } = ours,
): Promise<void> {
  const { code, message } = reason
  try {
    await inTransaction(caller.context.database, (tx) => failRun(tx, caller, kind, run, { code, message }))
  } catch (error) {
    if (!(error instanceof RunHasEnded)) throw error
  }
}

const ours = { code: 'internal_error', message: 'An internal error occurred. Run Autofill again.' }

async function begin(context: Context, { portal_id, payload }: RunningJob): Promise<RunRow | undefined> {
  return context.database.transaction(async (tx) => {
    const run = await findRun(tx, portal_id, String(payload.run_id))
    if (!run || run.state === 'completed' || run.state === 'failed') return undefined
    const now = isoTime(context.clock.now())
    const { to = run.state } = runStates.requireStep(run.state, 'begin', 'job')
    const running: RunRow = { ...run, state: to, state_changed_at: now, updated_at: now }
    await updateRun(tx, running)
    return { ...running, version: run.version + 1 }
  })
}

async function work(
  context: Context,
  reader: DocumentReader,
  knowledge: Knowledge,
  run: RunRow,
  { portal_id, request_id, signal }: RunningJob,
): Promise<void> {
  const { database } = context
  const { kind } = knowledge
  const caller: Caller = { context, portal_id, request_id }
  const gathered = await gather(context, caller, reader, knowledge, run, signal)
  const { facts, problems, has_any } = gathered
  if (!has_any) {
    const failure = { code: 'sources_failed', message: problems.map(({ message }) => message).join(' ') }
    const outcome = { filled: [], suggested: [], skipped: [], problems }
    return inTransaction(database, (tx) => failRun(tx, caller, kind, run, failure, outcome))
  }
  signal.throwIfAborted()
  // Not loaded before it is needed: it knows the words of companies in many languages.
  const { planFill } = await import('./fill-plan.ts')
  await inTransaction(database, async (tx) => {
    await kind.lock(tx, caller, run.application_id)
    const questionnaire = await loadQuestionnaire(tx, caller, kind, run.application_id)
    requireEditable(questionnaire)
    const plan = planFill({
      model: questionnaire.contract.model,
      sheet: questionnaire.sheet,
      facts,
      mode: run.mode,
      sources: new Set(run.sources),
      now: isoTime(context.clock.now()),
      isOpen: (key) => isOpen(questionnaire, key),
      newItemId: () => newId('itm'),
    })
    return completeRun(tx, caller, questionnaire, run, { ...plan, outcome: { ...plan.outcome, problems } })
  })
}

/** Reads every requested source. `has_any` is false when all of them failed. */
async function gather(
  context: Context,
  caller: Caller,
  reader: DocumentReader,
  knowledge: Knowledge,
  run: RunRow,
  signal: AbortSignal,
): Promise<Gathered & { has_any: boolean }> {
  const db = context.database.read
  const questionnaire = await loadQuestionnaire(db, caller, knowledge.kind, run.application_id)
  const { application, sheet } = questionnaire
  const asked = new Set(run.sources)
  const { portal_id } = application
  const businessFacts = await knowledge.businessFacts(db, application)
  const plain = (facts: Gathered['facts']): Gathered => ({ facts, problems: [] })
  const looks: Record<string, () => Promise<Gathered>> = {
    business: async () => plain(businessFacts),
    previous_applications: async () => plain(await factsOfEarlierAnswers(db, caller, knowledge, application)),
    project: async () => plain(await knowledge.projectFacts(db, application)),
    documents: () => factsOfDocuments(context, reader, portal_id, sheet.files, subjectOf(businessFacts), signal),
    provider: () => factsOfProvider(db, context, portal_id, { id: run.id, questionnaire, businessFacts }, signal),
  }
  const results = await Promise.all(
    Object.entries(looks)
      .filter(([source]) => asked.has(source))
      .map(([, look]) => look()),
  )
  const facts = results.flatMap((result) => result.facts)
  // What the record says helps to read and to doubt what others say, whether or not it is a source.
  if (!asked.has('business')) facts.push(...businessFacts)
  return {
    facts,
    problems: results.flatMap((result) => result.problems),
    has_any: results.some(({ facts, problems, has_looked }) => has_looked || facts.length > 0 || problems.length === 0),
  }
}

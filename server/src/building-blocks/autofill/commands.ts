import { enqueue } from '../../platform/background/jobs.ts'
import { publish } from '../../platform/background/outbox.ts'
import { hour, isoTime } from '../../platform/clock.ts'
import { apiUrl, type Caller } from '../../platform/context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { ApiError, bodyDetail, maximumDetails, validationFailed } from '../../platform/protocol/errors.ts'
import { newId } from '../../platform/values/ids.ts'
import { type AutofillSourceName, autofillSources } from '../contracts/contract-schema.ts'
import { upsertAnswers } from '../questionnaires/answers/queries.ts'
import { type Application, type ApplicationKind, applicationPath } from '../questionnaires/application-kind.ts'
import { isOpen, notOpen, requireEditable } from '../questionnaires/editing.ts'
import { upsertItem } from '../questionnaires/items/queries.ts'
import { findApplication, findWorkingCopy, openForEdit, type Target } from '../questionnaires/load-questionnaire.ts'
import type { Questionnaire } from '../questionnaires/questionnaire.ts'
import { type GivenAnswer, type Item, withWritten } from '../questionnaires/sheet.ts'
import { requireRoom } from '../questionnaires/sheet-size.ts'
import { type ApplyPlan, planApply } from './apply-plan.ts'
import { hasProvider } from './provider-setting.ts'
import { findActiveRun, findRun, insertRun, type RunRow, updateRun } from './queries.ts'
import { openOutcome, runPath, sealOutcome } from './records.ts'
import type { ApplyInput, AutofillInput, AutofillOutcome } from './schema.ts'
import { runStates } from './states.ts'

export const autofillJob = 'autofill.run'

/** The run was ended by somebody else meanwhile: the transaction is rolled back. */
export class RunHasEnded extends Error {}

/** Starts a run; a job does the work. */
export async function startRun(
  tx: Tx,
  caller: Caller,
  kind: ApplicationKind,
  applicationId: string,
  { mode = 'fill_empty', sources }: AutofillInput,
): Promise<RunRow> {
  const { context, request_id } = caller
  // Of several concurrent requests one starts a run; the others find it.
  await findWorkingCopy(tx, caller, kind, applicationId)
  await kind.lock(tx, caller, applicationId)
  const access = await findWorkingCopy(tx, caller, kind, applicationId)
  requireEditable({ kind, ...access })
  const { application } = access
  const { portal_id } = application
  const active = await findActiveRun(tx, portal_id, application.id, isoTime(context.clock.now() - hour))
  if (active) {
    const running_url = apiUrl(context.config, runPath(kind, application.id, active.id))
    throw new ApiError('operation_in_progress', {
      message: 'An Autofill run is already in progress for this application. Wait until it ends.',
      details: [
        {
          location: 'state',
          name: 'autofill',
          code: 'operation_in_progress',
          message: 'meta.running_url is the address of the run in progress.',
          meta: { running_url },
        },
      ],
    })
  }
  const now = isoTime(context.clock.now())
  const run: RunRow = {
    portal_id,
    id: newId('afr'),
    application_id: application.id,
    version: 1,
    state: runStates.initial,
    state_changed_at: now,
    mode,
    sources: sources ? [...new Set(sources)] : await everySource(tx, portal_id),
    sealed_outcome: null,
    error: null,
    created_at: now,
    updated_at: now,
  }
  await insertRun(tx, run)
  await enqueue(tx, context, { portal_id, kind: autofillJob, payload: { run_id: run.id }, request_id })
  return run
}

/** All sources; `provider` only when the Portal has one. */
async function everySource(tx: Tx, portalId: string): Promise<AutofillSourceName[]> {
  return (await hasProvider(tx, portalId))
    ? [...autofillSources]
    : autofillSources.filter((source) => source !== 'provider')
}

/** Writes what a run has filled in, and ends it. */
export async function completeRun(
  tx: Tx,
  caller: Caller,
  questionnaire: Questionnaire,
  run: RunRow,
  filled: { answers: readonly GivenAnswer[]; items: readonly Item[]; outcome: AutofillOutcome },
): Promise<void> {
  const hasFilled = filled.answers.length > 0 || filled.items.length > 0
  const application = hasFilled
    ? (await write(tx, caller, questionnaire, filled)).application
    : questionnaire.application
  await endRun(tx, caller, run, { action: 'complete', outcome: filled.outcome })
  await tell(tx, caller, questionnaire.kind, application, 'autofill_completed')
}

/** Ends a run that could not do its work; no answer has changed. */
export async function failRun(
  tx: Tx,
  caller: Caller,
  kind: ApplicationKind,
  run: RunRow,
  error: { code: string; message: string },
  outcome?: AutofillOutcome,
): Promise<void> {
  const { application } = await findApplication(tx, caller, kind, run.application_id)
  await endRun(tx, caller, run, { action: 'fail', error, ...(outcome && { outcome }) })
  await tell(tx, caller, kind, application, 'autofill_failed')
}

/** Accepts suggestions of a run: from then on they are confirmed answers. */
export async function applySuggestions(
  tx: Tx,
  caller: Caller,
  kind: ApplicationKind,
  { run_id, ...target }: Target & { run_id: string },
  { question_keys }: ApplyInput,
): Promise<Questionnaire> {
  await findWorkingCopy(tx, caller, kind, target.application_id)
  const runOf = async ({ application }: Questionnaire) => {
    const run = await findRun(tx, application.portal_id, run_id)
    if (run?.application_id !== application.id) throw new ApiError('not_found')
    return run
  }
  const questionnaire = await openForEdit(tx, caller, kind, target, runOf)
  const run = await runOf(questionnaire)
  runStates.requireStep(run.state, 'apply', 'owner')
  const { suggested } = openOutcome(caller.context.vault, run)
  const suggestedFor = (key: string) =>
    suggested.filter(({ question_key, group_key }) => question_key === key || group_key === key)
  const problems = question_keys.flatMap((key, index) => {
    const own = suggestedFor(key)
    const pointer = `/question_keys/${index}`
    if (own.length === 0) return [bodyDetail(pointer, 'unknown_question', `This run has no suggestion for ${key}.`)]
    // Two groups may ask the same question, and one of them be closed.
    const closed = own.find(({ question_key, group_key }) => !isOpen(questionnaire, group_key ?? question_key))
    return closed ? [notOpen(questionnaire, key, { location: 'body', pointer })] : []
  })
  if (problems.length > 0) throw validationFailed(problems)
  const chosen = [...new Set(question_keys.flatMap(suggestedFor))]
  const now = isoTime(caller.context.clock.now())
  const plan = planApply(questionnaire, chosen, {
    run_ended_at: run.state_changed_at,
    now,
    newItemId: () => newId('itm'),
  })
  if (plan.outdated.length > 0) throw answeredSince(run, question_keys, plan.outdated)
  if (plan.problems.length > 0) throw validationFailed(plan.problems)
  // Accepted before: what changes nothing makes no new version.
  if (plan.answers.length === 0 && plan.items.length === 0) return questionnaire
  return write(tx, caller, questionnaire, plan)
}

/** Nothing of an apply is written when a part of it would replace an answer that is newer than the run. */
function answeredSince(run: RunRow, keys: readonly string[], outdated: ApplyPlan['outdated']): ApiError {
  return new ApiError('state_conflict', {
    message:
      'Nothing was applied: some answers are newer than this run. Omit the questions in details, or run Autofill again.',
    details: outdated
      .slice(0, maximumDetails)
      .map(({ suggestion: { question_key, group_key, item_id }, answered_at }) => ({
        location: 'body',
        pointer: `/question_keys/${keys.findIndex((key) => key === question_key || key === group_key)}`,
        code: 'state_conflict',
        message: `${question_key} was answered or confirmed after this run ended.`,
        meta: { state: run.state, available_actions: ['apply'], question_key, item_id, answered_at },
      })),
  })
}

async function tell(
  tx: Tx,
  caller: Caller,
  kind: ApplicationKind,
  { portal_id, id, version, state }: Application,
  verb: 'autofill_completed' | 'autofill_failed',
): Promise<void> {
  const { type } = kind.states
  const resource = { type, id, path: applicationPath(kind, id), version }
  await publish(tx, caller, { type: `${type}.${verb}`, resource, state }, [{ portal_id }])
}

async function endRun(
  tx: Tx,
  caller: Caller,
  run: RunRow,
  end: { action: 'complete' | 'fail'; outcome?: AutofillOutcome; error?: { code: string; message: string } },
): Promise<void> {
  const now = isoTime(caller.context.clock.now())
  const { to = run.state } = runStates.requireStep(run.state, end.action, 'job')
  const isEnded = await updateRun(tx, {
    ...run,
    state: to,
    state_changed_at: now,
    updated_at: now,
    sealed_outcome: end.outcome ? sealOutcome(caller.context.vault, run, end.outcome) : null,
    error: end.error ?? null,
  })
  if (!isEnded) throw new RunHasEnded()
}

async function write(
  tx: Tx,
  caller: Caller,
  questionnaire: Questionnaire,
  { answers, items }: { answers: readonly GivenAnswer[]; items: readonly Item[] },
): Promise<Questionnaire> {
  const { kind, application, contract, sheet } = questionnaire
  const { portal_id, id } = application
  const { vault } = caller.context
  const sheetAfter = withWritten(sheet, { answers, items })
  requireRoom(sheetAfter)
  const saved = await kind.saveEdited(tx, caller, questionnaire)
  await upsertAnswers(tx, vault, portal_id, id, answers, contract.restricted)
  for (const item of items) await upsertItem(tx, vault, portal_id, id, item, contract.restricted.has(item.group_key))
  return { ...questionnaire, application: saved, sheet: sheetAfter }
}

import { enqueue } from '../../../platform/background/jobs.ts'
import { publish } from '../../../platform/background/outbox.ts'
import { isoTime } from '../../../platform/clock.ts'
import type { Caller } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { ApiError, bodyDetail, limitReached, validationFailed } from '../../../platform/protocol/errors.ts'
import { knownContentTypes } from '../../../platform/storage/content-sniffing.ts'
import { counted } from '../../../platform/values/counted.ts'
import { newId } from '../../../platform/values/ids.ts'
import type { GroupedQuestion, Question } from '../../contracts/contract-schema.ts'
import { type Application, type ApplicationKind, kindOf } from '../application-kind.ts'
import { isOpen, notOpen, requireEditable, requireOpen, topLevelKeyOf } from '../editing.ts'
import { findApplication, loadQuestionnaire, openForEdit, type Target } from '../load-questionnaire.ts'
import type { Questionnaire } from '../questionnaire.ts'
import { filesOf } from '../sheet.ts'
import { scanJob } from './job-names.ts'
import { type FileRow, findFile, insertFile, updateFile } from './queries.ts'
import { filePath } from './records.ts'
import { removeFiles } from './removal.ts'
import { type FileInput, maximumFileBytes, maximumFilesOfApplication } from './schema.ts'
import { lookForFirstUpload } from './upload-checks.ts'

/** Says which file will come: its name, type, size and digest. The bytes follow by themselves. */
export async function declareFile<Row extends Application>(
  tx: Tx,
  caller: Caller,
  kind: ApplicationKind<Row>,
  target: Target,
  input: FileInput,
): Promise<{ questionnaire: Questionnaire<Row>; file: FileRow }> {
  const { context } = caller
  const questionnaire = await openForEdit(tx, caller, kind, target)
  const { application, sheet } = questionnaire
  const { portal_id } = application
  const question = fileQuestion(questionnaire, input)
  requireOpen(questionnaire, topLevelKeyOf(sheet, input), { location: 'body', pointer: '/question_key' })
  requireAcceptable(question, input)
  const { question_key, item_id = null, filename, content_type, size_bytes, sha256 } = input
  requireRoomForFile(question, filesOf(sheet.files, question_key, item_id).length, sheet.files.length)

  const saved = await kind.saveEdited(tx, caller, questionnaire)
  const now = isoTime(context.clock.now())
  const file: FileRow = {
    id: newId('fil'),
    application_id: application.id,
    question_key,
    item_id,
    filename,
    content_type,
    size_bytes,
    sha256,
    state: 'awaiting_upload',
    rejection: null,
    is_submitted: false,
    created_at: now,
    updated_at: now,
  }
  await insertFile(tx, portal_id, { ...file, rejection: null })
  // Nobody tells us when bytes arrive at a store of its own: we have to look.
  if (context.files.direct) await lookForFirstUpload(tx, { context, portal_id, request_id: caller.request_id }, file.id)
  const files = [...sheet.files, file]
  return { questionnaire: { ...questionnaire, application: saved, sheet: { ...sheet, files } }, file }
}

export async function deleteFile<Row extends Application>(
  tx: Tx,
  caller: Caller,
  kind: ApplicationKind<Row>,
  { file_id, ...target }: Target & { file_id: string },
): Promise<Questionnaire<Row>> {
  const fileIn = ({ sheet }: Pick<Questionnaire, 'sheet'>) => {
    const file = sheet.files.find(({ id }) => id === file_id)
    if (!file) throw new ApiError('not_found')
    return file
  }
  const questionnaire = await openForEdit(tx, caller, kind, target, fileIn)
  const { application, sheet } = questionnaire
  const file = fileIn(questionnaire)
  requireOpen(questionnaire, topLevelKeyOf(sheet, file), { location: 'path', name: 'file_id' })
  const saved = await kind.saveEdited(tx, caller, questionnaire)
  await removeFiles(tx, { ...caller, portal_id: application.portal_id }, [file])
  const files = sheet.files.filter(({ id }) => id !== file_id)
  return { ...questionnaire, application: saved, sheet: { ...sheet, files } }
}

// What follows happens to bytes, by whoever moves or looks at them: they act for the owner.

/** The bytes have arrived and are what was declared. Without a scanner the file is there at once. */
export async function completeUpload(tx: Tx, owner: Caller, kind: ApplicationKind, file: FileRow): Promise<FileRow> {
  const { context, portal_id, request_id } = owner
  const questionnaire = await loadQuestionnaire(tx, owner, kind, file.application_id)
  requireEditable(questionnaire)
  const question = topLevelKeyOf(questionnaire.sheet, file)
  if (!isOpen(questionnaire, question))
    throw new ApiError('state_conflict', {
      message: `The upload came too late: ${question} can no longer be changed.`,
      details: [notOpen(questionnaire, question, { location: 'file', name: file.filename })],
    })
  if (context.scanner) {
    await enqueue(tx, context, { portal_id, kind: scanJob, payload: { file_id: file.id }, request_id })
    return move(tx, owner, kind, file, { state: 'scanning' })
  }
  return move(tx, owner, kind, file, { state: 'available' })
}

export async function acceptFile(tx: Tx, owner: Caller, kind: ApplicationKind, file: FileRow): Promise<FileRow> {
  return move(tx, owner, kind, file, { state: 'available' })
}

export async function rejectFile(
  tx: Tx,
  owner: Caller,
  kind: ApplicationKind,
  file: FileRow,
  rejection: { code: string; message: string },
): Promise<FileRow> {
  return move(tx, owner, kind, file, { state: 'rejected', rejection })
}

export async function expireUpload(tx: Tx, owner: Caller, kind: ApplicationKind, file: FileRow): Promise<FileRow> {
  return move(tx, owner, kind, file, { state: 'expired' })
}

/** A file whose application nobody else writes until the transaction ends. */
export async function findHeldFile(
  tx: Tx,
  kinds: readonly ApplicationKind[],
  owner: Caller,
  fileId: string,
): Promise<{ file: FileRow; kind: ApplicationKind } | undefined> {
  const seen = await findFile(tx, owner.portal_id, fileId)
  if (!seen) return undefined
  const kind = kindOf(kinds, seen.application_id)
  await kind.lock(tx, owner, seen.application_id)
  const file = await findFile(tx, owner.portal_id, fileId)
  return file && { file, kind }
}

/** Whatever becomes of a file moves the version of its application, and is told when a client may wait for it. */
async function move(
  tx: Tx,
  owner: Caller,
  kind: ApplicationKind,
  file: FileRow,
  { state, rejection = null }: { state: FileRow['state']; rejection?: FileRow['rejection'] },
): Promise<FileRow> {
  const { application } = await findApplication(tx, owner, kind, file.application_id)
  const saved = await kind.saveTouched(tx, owner, application)
  const changed: FileRow = { ...file, state, rejection, updated_at: isoTime(owner.context.clock.now()) }
  const { updated_at } = changed
  const change = { state, updated_at, rejection: rejection && JSON.stringify(rejection) }
  // Another upload or verdict was first.
  if (!(await updateFile(tx, owner.portal_id, file, change))) throw new ApiError('upload_already_completed')
  if (state === 'available' || state === 'rejected') {
    await publish(tx, owner, {
      type: `file.${state}`,
      resource: { type: 'file', id: file.id, path: filePath(kind, file), version: saved.version },
      state,
      previous_state: file.state,
    })
  }
  return changed
}

/** The question a file answers; in a group it is one of an item. */
function fileQuestion({ contract, sheet }: Questionnaire, { question_key, item_id = null }: FileInput) {
  const { model } = contract
  let question: Question | GroupedQuestion | undefined = model.questions.get(question_key)
  if (item_id !== null) {
    const item = [...sheet.items.values()].flat().find(({ id }) => id === item_id)
    if (!item)
      throw validationFailed([
        bodyDetail('/item_id', 'unknown_reference', 'This application has no item with this id.'),
      ])
    question = model.groups.get(item.group_key)?.questions.get(question_key)
  }
  if (!question) {
    const isInGroup =
      item_id === null && [...model.groups.values()].some(({ questions }) => questions.has(question_key))
    const message = isInGroup
      ? `item_id is required: ${question_key} is a question in a group.`
      : item_id === null
        ? `The contract has no question with the key ${question_key}.`
        : `The group of this item has no question with the key ${question_key}.`
    throw validationFailed([
      isInGroup
        ? bodyDetail('/item_id', 'required', message)
        : bodyDetail('/question_key', 'unknown_question', message),
    ])
  }
  if (question.type !== 'file') {
    const message = `${question_key} must be a question of type file; its type is ${question.type}.`
    throw validationFailed([bodyDetail('/question_key', 'invalid_answer', message)])
  }
  return question
}

function requireAcceptable({ key, validation = {} }: Question | GroupedQuestion, input: FileInput): void {
  const accepted = validation.accept ?? knownContentTypes
  if (!accepted.includes(input.content_type) || !knownContentTypes.includes(input.content_type)) {
    const message = `content_type must be one of: ${accepted.join(', ')}.`
    throw new ApiError('unsupported_file_type', {
      message: `${key} does not accept files of type ${input.content_type}.`,
      details: [
        { location: 'body', pointer: '/content_type', code: 'unsupported_file_type', message, meta: { accepted } },
      ],
    })
  }
  const limit_bytes = Math.min(validation.max_bytes ?? maximumFileBytes, maximumFileBytes)
  if (input.size_bytes > limit_bytes) {
    const message = `size_bytes must be at most ${limit_bytes} for ${key}.`
    throw new ApiError('file_too_large', {
      message,
      details: [{ location: 'body', pointer: '/size_bytes', code: 'file_too_large', message, meta: { limit_bytes } }],
    })
  }
}

function requireRoomForFile({ key, validation = {} }: Question | GroupedQuestion, own: number, all: number): void {
  const advice = 'Delete a file before you add another.'
  const { max_files = maximumFilesOfApplication } = validation
  if (own >= max_files)
    throw limitReached(`Limit reached: ${key} accepts at most ${counted(max_files, 'file')}.`, {
      name: key,
      advice,
      meta: { maximum: max_files },
    })
  const maximum = maximumFilesOfApplication
  if (all >= maximum) {
    const message = `Limit reached: an application accepts at most ${maximum} files, including rejected and expired files.`
    throw limitReached(message, { name: key, advice, meta: { maximum } })
  }
}

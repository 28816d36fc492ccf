// What the matching thread is asked for and what it answers: plain data, because it crosses from thread to thread.
import type { Config } from '../../../platform/config.ts'
import type { Outcome } from '../matching/evaluation.ts'
import type { Reason } from '../matching/explanation.ts'
import type { CriteriaValues } from '../matching/project-facts.ts'

/** A recipient whose programmes are to be evaluated. */
export interface TaskRecipient {
  portal_id: string
  id: string
  name: string
  countries: readonly string[]
  time_zone: string
  /** Of which these are true: what is read later may be newer. */
  catalog_version: number
}

/** A recipient as it was evaluated: what explains the results later. */
export interface EvaluatedRecipient {
  id: string
  name: string
  catalog_version: number
  countries: readonly string[]
  /** The day it was at the recipient's. */
  today: string
  /** The day at the recipient's from which on the results may be others; null when that changes nothing. */
  changes_on: string | null
}

interface CommonTask {
  project_id: string
  values: CriteriaValues
  recipients: readonly TaskRecipient[]
  /** When it was asked, in milliseconds. */
  now: number
}

/** Looks for projects of one Portal that a change of a recipient's catalogue has brought a new match. */
export interface FindNewTask {
  portal_id: string
  /** Only projects after this one, as many as can be looked at in a moment. */
  after_project_id: string
  recipient: TaskRecipient
  /** Where the changes begin, and the last of them. */
  after: ChangePosition
  until: ChangePosition
  now: number
}

/** A change of a programme: the catalogue's version, and the programme where one version changed many. */
export interface ChangePosition {
  catalog_version: number
  program_id: string
}

/** The matches are written by the thread, under an id of their own: nobody sees them before they are complete. */
export type CalculateTask = CommonTask & { portal_id: string; result_id: string }
/** The answer has what the Portal may see that asks. */
export type WhatIfTask = CommonTask & { portal_id: string; instead: CriteriaValues }

/** What the thread can be asked for, and what it answers. */
export interface MatchingTasks {
  calculate: { task: CalculateTask; answer: Calculated }
  what_if: { task: WhatIfTask; answer: Supposed }
  find_new: { task: FindNewTask; answer: FoundNew }
}

export interface FoundNew {
  found: { project_id: string; program_id: string }[]
  /** The last project that was looked at; null when there are no more. */
  last_project_id: string | null
  /** None of the changes can bring any project a match. */
  is_pointless: boolean
}

export interface Calculated {
  counts: Record<'evaluated' | Outcome, number>
  most_useful_criteria: { criterion: string; would_settle: number }[]
  recipients: EvaluatedRecipient[]
  calculated_on: string
  /** The day in UTC from which on the results may be others; null when that changes nothing. */
  changes_on: string | null
}

export interface Supposed {
  counts: Calculated['counts']
  /** How many programmes change their outcome; only the first of them are listed. */
  changed_count: number
  changed: { program_id: string; program_name: string; from: Outcome; to: Outcome; reasons: Reason[] }[]
}

/** What the thread is started with. */
export interface ThreadData {
  config: Config
  /** Shared with whoever asks: two numbers, at these places. */
  shared: SharedArrayBuffer
}

/** The number of the task that nobody waits for any more. */
export const cancelledPlace = 0
/** Moves while a task is done, so that slow work can be told from none. */
export const progressPlace = 1

export interface ThreadMessage<Kind extends keyof MatchingTasks> {
  number: number
  kind: Kind
  task: MatchingTasks[Kind]['task']
}

/** Called now and then while a task is done; throws when it was cancelled. */
export type Checkpoint = () => void

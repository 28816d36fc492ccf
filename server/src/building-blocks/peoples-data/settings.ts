// How long a Portal keeps what nobody works on any more. Without a setting nothing is deleted.
import { type TSchema, Type } from 'typebox'
import type { PortalSetting } from '../portals/settings.ts'

const days = Type.Union([Type.Integer({ minimum: 1, maximum: 3650 }), Type.Null()])
const setting = (name: string, what: string) =>
  ({
    name,
    schema: days,
    default: null,
    description: `days after which ${what} (1 to 3650, or null for never)`,
  }) satisfies PortalSetting<TSchema>

export const endedIntakeDaysKept = setting(
  'ended_intake_days_kept',
  'client intake applications that were rejected, withdrawn or expired are deleted with their answers and files',
)
export const autofillDaysKept = setting(
  'autofill_days_kept',
  'the values that Autofill found are deleted from completed runs; answers stay',
)
export const attemptBodyDaysKept = setting(
  'attempt_body_days_kept',
  'the response bodies of webhook attempts are deleted; after 30 days the attempts are deleted in any case',
)
export const archivedBusinessDaysKept = setting(
  'archived_business_days_kept',
  'archived businesses without open deals are erased',
)

import { Type } from 'typebox'
import type { PortalSetting } from '../../../building-blocks/portals/settings.ts'

export const calculationsKept = {
  name: 'match_calculations_kept',
  schema: Type.Integer({ minimum: 1, maximum: 100 }),
  default: 5,
  description: 'how many match calculations of a project are kept (1 to 100); the last completed one always is',
} satisfies PortalSetting

export const calculationDaysKept = {
  name: 'match_calculation_days_kept',
  schema: Type.Integer({ minimum: 1, maximum: 3650 }),
  default: 90,
  description: 'days for which match calculations are kept (1 to 3650); the last completed one of a project always is',
} satisfies PortalSetting

import { Type } from 'typebox'
import type { PortalSetting } from '../../building-blocks/portals/settings.ts'

export const intakeExpiryDays = {
  name: 'intake_expiry_days',
  schema: Type.Integer({ minimum: 1, maximum: 3650 }),
  default: 90,
  description:
    'days without an edit after which a client intake application expires (1 to 3650); applies to new applications only',
} satisfies PortalSetting

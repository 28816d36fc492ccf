import { Type } from 'typebox'
import type { PortalSetting } from '../../building-blocks/portals/settings.ts'

export const applicationExpiryDays = {
  name: 'deal_application_expiry_days',
  schema: Type.Integer({ minimum: 1, maximum: 3650 }),
  default: 90,
  description:
    'days without an edit after which a draft or returned deal application ends (1 to 3650); applies to new applications only',
} satisfies PortalSetting

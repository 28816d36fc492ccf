// The one list of settings that a Portal has, apart from app.ts: commands about a Portal need no server.
import { intakeExpiryDays } from '../areas/client-intake/settings.ts'
import { applicationExpiryDays } from '../areas/deal-applications/settings.ts'
import { dealStages } from '../areas/deals/stages.ts'
import { calculationDaysKept, calculationsKept } from '../areas/funding-recommendations/calculations/settings.ts'
import { autofillProvider } from '../building-blocks/autofill/provider-setting.ts'
import {
  archivedBusinessDaysKept,
  attemptBodyDaysKept,
  autofillDaysKept,
  endedIntakeDaysKept,
} from '../building-blocks/peoples-data/settings.ts'
import type { PortalSetting } from '../building-blocks/portals/settings.ts'

export const portalSettings: readonly PortalSetting[] = [
  intakeExpiryDays,
  autofillProvider,
  calculationsKept,
  calculationDaysKept,
  dealStages,
  applicationExpiryDays,
  endedIntakeDaysKept,
  autofillDaysKept,
  attemptBodyDaysKept,
  archivedBusinessDaysKept,
]

// The whole house: every room, in the order of the interface. What is not listed here does not exist.
import type { FastifyInstance } from 'fastify'
import { businessEvents } from './areas/businesses/events.ts'
import { businessOperations } from './areas/businesses/operations.ts'
import { clientIntakeKnowledge } from './areas/client-intake/autofill-knowledge.ts'
import { clientIntakeEvents } from './areas/client-intake/events.ts'
import { clientIntakeJobs } from './areas/client-intake/jobs.ts'
import { clientIntake } from './areas/client-intake/kind.ts'
import { clientIntakeOperations } from './areas/client-intake/operations.ts'
import { intakeExpiryDays } from './areas/client-intake/settings.ts'
import { webhookOperations } from './areas/webhooks/operations.ts'
import { autofillJobs } from './building-blocks/autofill/jobs.ts'
import { autofillOperations } from './building-blocks/autofill/operations.ts'
import { autofillProvider } from './building-blocks/autofill/provider-setting.ts'
import { contractOperations } from './building-blocks/contracts/operations.ts'
import { transferOperations } from './building-blocks/file-transfers/operations.ts'
import { registerTransfers } from './building-blocks/file-transfers/routes.ts'
import { createAuthenticator } from './building-blocks/portals/authenticator.ts'
import { portalOperations } from './building-blocks/portals/operations.ts'
import { allGrants } from './building-blocks/portals/resources.ts'
import type { PortalSetting } from './building-blocks/portals/settings.ts'
import { fileEvents } from './building-blocks/questionnaires/files/events.ts'
import { fileJobs } from './building-blocks/questionnaires/files/jobs.ts'
import { createFileRecords } from './building-blocks/questionnaires/files/transfer-records.ts'
import { questionnaireOperations } from './building-blocks/questionnaires/operations.ts'
import type { EventKind } from './platform/background/events.ts'
import { housekeepingJobs } from './platform/background/housekeeping.ts'
import type { JobDefinition } from './platform/background/jobs.ts'
import type { Context } from './platform/context.ts'
import { createHttpApp } from './platform/http/create-http-app.ts'
import { Document, type Operation } from './platform/http/operation.ts'
import { registerProbes } from './platform/http/probes.ts'
import { createMemoryRateLimiter } from './platform/http/rate-limit.ts'
import type { Metrics } from './platform/metrics.ts'
import type { Published } from './reference/openapi.ts'
import { createKeyDocuments, publishDocuments } from './reference/publish-documents.ts'

/** The kinds of applications that have questionnaires. */
const applicationKinds = [clientIntake]

/** Any of these lets a key read contracts: there are no applications without one. */
const applicationGrants = allGrants.filter((grant) => /^\w+_applications:/.test(grant))

const areaOperations: readonly Operation[] = [
  ...businessOperations,
  ...contractOperations(applicationGrants),
  ...clientIntakeOperations,
  ...questionnaireOperations(clientIntake),
  ...autofillOperations(clientIntake),
  ...webhookOperations,
]

export const operations: readonly Operation[] = [
  ...portalOperations(areaOperations, (context, grants) => {
    const { text, etag } = keyDocument(context, grants)
    return new Document(text, etag)
  }),
  ...areaOperations,
]

export const eventKinds: readonly EventKind[] = [...businessEvents, ...clientIntakeEvents, ...fileEvents]

export const jobs: readonly JobDefinition[] = [
  ...housekeepingJobs,
  ...clientIntakeJobs,
  ...fileJobs(applicationKinds),
  ...autofillJobs([clientIntakeKnowledge]),
]

export const portalSettings: readonly PortalSetting[] = [intakeExpiryDays, autofillProvider]

/** What the documents tell of. */
export const published: Published = { operations, events: eventKinds, others: transferOperations }

const keyDocument = createKeyDocuments(published)

export interface Server {
  http: FastifyInstance
  /** From now on the server is not ready, and closes each connection after its response. */
  drain(): void
  /** Ends when the last request is answered and what was noted beside requests is written. */
  close(): Promise<void>
}

export function createServer(context: Context, metrics: Metrics): Server {
  let isDraining = false
  const authenticator = createAuthenticator(context)
  const http = createHttpApp({
    context,
    operations,
    authenticator,
    rateLimiter: createMemoryRateLimiter(context.clock),
    metrics,
    isDraining: () => isDraining,
  })
  registerProbes(http, context, () => isDraining)
  registerTransfers(http, context, createFileRecords(context, applicationKinds))
  publishDocuments(http, published, context)
  return {
    http,
    drain() {
      isDraining = true
    },
    async close() {
      isDraining = true
      await http.close()
      await authenticator.flush()
    },
  }
}

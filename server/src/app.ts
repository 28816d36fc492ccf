// The whole house: every room, in the order of the interface. What is not listed here does not exist.
import type { FastifyInstance } from 'fastify'
import { businessEvents } from './areas/businesses/events.ts'
import { businessJobs } from './areas/businesses/jobs.ts'
import { businessOperations } from './areas/businesses/operations.ts'
import { businessStates } from './areas/businesses/states.ts'
import { clientIntakeKnowledge } from './areas/client-intake/autofill-knowledge.ts'
import { clientIntakeEvents } from './areas/client-intake/events.ts'
import { clientIntakeJobs } from './areas/client-intake/jobs.ts'
import { clientIntake } from './areas/client-intake/kind.ts'
import { clientIntakeOperations } from './areas/client-intake/operations.ts'
import { dealApplicationKnowledge } from './areas/deal-applications/autofill-knowledge.ts'
import { applicationContract } from './areas/deal-applications/contract-visibility.ts'
import { dealApplicationEvents } from './areas/deal-applications/events.ts'
import { endWithDeal, withdrawDeal } from './areas/deal-applications/expiry-commands.ts'
import { dealApplicationJobs } from './areas/deal-applications/jobs.ts'
import { dealApplications } from './areas/deal-applications/kind.ts'
import { offerOperations } from './areas/deal-applications/offers/operations.ts'
import { dealApplicationOperations } from './areas/deal-applications/operations.ts'
import { offerStates } from './areas/deal-applications/states.ts'
import { dealEvents } from './areas/deals/events.ts'
import { dealJobs } from './areas/deals/jobs.ts'
import { dealOperations } from './areas/deals/operations.ts'
import { dealStates } from './areas/deals/states.ts'
import { calculationJobs } from './areas/funding-recommendations/calculations/jobs.ts'
import { calculationStates } from './areas/funding-recommendations/calculations/states.ts'
import { fundingRecommendationEvents } from './areas/funding-recommendations/events.ts'
import { fundingRecommendationOperations } from './areas/funding-recommendations/operations.ts'
import { programImportJobs } from './areas/funding-recommendations/programs/import/jobs.ts'
import { programStates } from './areas/funding-recommendations/programs/states.ts'
import { deliveryOperations } from './areas/webhooks/deliveries/operations.ts'
import { deliveryStates } from './areas/webhooks/deliveries/states.ts'
import { setBackDeliveries } from './areas/webhooks/deliveries/upkeep-queries.ts'
import { webhookOperations } from './areas/webhooks/endpoints/operations.ts'
import { webhookStates } from './areas/webhooks/endpoints/states.ts'
import { eventTypeOperations } from './areas/webhooks/event-types/operations.ts'
import { webhookEvents } from './areas/webhooks/events/catalogue.ts'
import { eventOperations } from './areas/webhooks/events/operations.ts'
import { webhookJobs } from './areas/webhooks/jobs.ts'
import { closeOutbound } from './areas/webhooks/outbound.ts'
import { addDeliveryMetrics } from './areas/webhooks/sending/delivery-metrics.ts'
import { startDispatcher } from './areas/webhooks/sending/dispatcher.ts'
import { auditLogJobs } from './building-blocks/audit-log/jobs.ts'
import { auditLogOperations } from './building-blocks/audit-log/operations.ts'
import { autofillJobs } from './building-blocks/autofill/jobs.ts'
import type { Knowledge } from './building-blocks/autofill/knowledge.ts'
import { autofillOperations } from './building-blocks/autofill/operations.ts'
import { runStates } from './building-blocks/autofill/states.ts'
import { contractOperations } from './building-blocks/contracts/operations.ts'
import type { ContractVisibility } from './building-blocks/contracts/visibility.ts'
import { transferOperations } from './building-blocks/file-transfers/operations.ts'
import { registerTransfers } from './building-blocks/file-transfers/routes.ts'
import { peoplesDataJobs } from './building-blocks/peoples-data/jobs.ts'
import { addErasureMetrics } from './building-blocks/peoples-data/metrics.ts'
import { createAuthenticator } from './building-blocks/portals/authenticator.ts'
import { portalOperations } from './building-blocks/portals/operations.ts'
import { allGrants } from './building-blocks/portals/resources.ts'
import type { ApplicationKind } from './building-blocks/questionnaires/application-kind.ts'
import { fileEvents } from './building-blocks/questionnaires/files/events.ts'
import { fileJobs } from './building-blocks/questionnaires/files/jobs.ts'
import { filesToTransfer } from './building-blocks/questionnaires/files/operations.ts'
import { createFileRecords } from './building-blocks/questionnaires/files/transfer-records.ts'
import { questionnaireOperations } from './building-blocks/questionnaires/operations.ts'
import { applicationContracts } from './building-blocks/recipients/contract-visibility.ts'
import { recipientOperations } from './building-blocks/recipients/operations.ts'
import { unknownActor } from './platform/audit/actors.ts'
import { watchClock } from './platform/background/clock-watch.ts'
import type { EventKind } from './platform/background/events.ts'
import { housekeepingJobs } from './platform/background/housekeeping.ts'
import type { JobDefinition } from './platform/background/jobs.ts'
import type { TimedContext } from './platform/background/kept-time.ts'
import { addQueueMetrics } from './platform/background/queue-metrics.ts'
import { setBackJobs } from './platform/background/set-back-jobs.ts'
import { startWorker } from './platform/background/worker.ts'
import { addBackupMetric } from './platform/backup/last-backup.ts'
import type { Context } from './platform/context.ts'
import { createHttpApp } from './platform/http/create-http-app.ts'
import { Document, type Operation } from './platform/http/operation.ts'
import { createProbes, type Probes, registerProbes } from './platform/http/probes.ts'
import { createMemoryRateLimiter } from './platform/http/rate-limit.ts'
import { addReadyMetric } from './platform/http/ready-metric.ts'
import { createSharedRateLimiter } from './platform/http/shared-rate-limit.ts'
import type { Metrics } from './platform/metrics.ts'
import { addProcessMetrics } from './platform/process-metrics.ts'
import { sealingJobs } from './platform/secrets/sealing-again.ts'
import { eventPagePath, exampleEvent, standaloneSchema } from './reference/event-documents.ts'
import type { Published } from './reference/openapi.ts'
import { createKeyDocuments, publishDocuments } from './reference/publish-documents.ts'
import { resourceDescriptions } from './reference/resource-descriptions.ts'

/** An area whose records are applications: its kind gets everything under an application by itself. */
interface ApplicationArea {
  kind: ApplicationKind
  operations: readonly Operation[]
  events: readonly EventKind[]
  jobs: readonly JobDefinition[]
  /** What Autofill can know about its applications. */
  knowledge: Knowledge
  /** Contracts of other Portals that its applications let a caller read. */
  contractVisibility: readonly ContractVisibility[]
}

const clientIntakeArea: ApplicationArea = {
  kind: clientIntake,
  operations: clientIntakeOperations,
  events: clientIntakeEvents,
  jobs: clientIntakeJobs,
  knowledge: clientIntakeKnowledge,
  contractVisibility: [],
}

const dealApplicationArea: ApplicationArea = {
  kind: dealApplications,
  operations: [...dealApplicationOperations, ...offerOperations],
  events: dealApplicationEvents,
  jobs: dealApplicationJobs,
  knowledge: dealApplicationKnowledge,
  contractVisibility: [applicationContract],
}

/** Everything there is: what HTTP offers, what is told, what is done beside requests. */
interface House {
  kinds: readonly ApplicationKind[]
  operations: readonly Operation[]
  eventKinds: readonly EventKind[]
  jobs: readonly JobDefinition[]
  /** What the documents tell of. */
  published: Published
}

function buildHouse(applicationAreas: readonly ApplicationArea[]): House {
  const kinds = applicationAreas.map(({ kind }) => kind)
  const eventKinds = [
    ...businessEvents,
    ...applicationAreas.flatMap(({ events }) => events),
    ...fileEvents,
    ...fundingRecommendationEvents,
    ...dealEvents,
    ...webhookEvents,
  ]
  const listedTypes = eventKinds.filter(({ message }) => !message).map(({ type }) => type)
  const areaOperations: readonly Operation[] = [
    ...businessOperations,
    ...contractOperations({
      // Any of these lets a key read contracts: there are no applications without one.
      grants: allGrants.filter((grant) => /^\w+_applications:/.test(grant)),
      visibility: [applicationContracts, ...applicationAreas.flatMap(({ contractVisibility }) => contractVisibility)],
    }),
    ...applicationAreas.flatMap(({ kind, operations }) => [
      ...operations,
      ...questionnaireOperations(kind),
      ...autofillOperations(kind),
    ]),
    ...fundingRecommendationOperations,
    ...recipientOperations,
    ...dealOperations(endWithDeal),
    ...webhookOperations(new Set(listedTypes)),
    ...deliveryOperations(eventKinds.map(({ type }) => type)),
    ...eventTypeOperations(eventKinds, {
      schemaOf: standaloneSchema,
      exampleOf: exampleEvent,
      pageOf: eventPagePath,
    }),
    ...eventOperations(listedTypes),
    ...auditLogOperations,
  ]
  const operations: readonly Operation[] = [
    ...portalOperations(areaOperations, (context, grants) => {
      const { text, etag } = keyDocument(context, grants)
      return new Document(text, etag)
    }),
    ...areaOperations,
  ]
  const published: Published = {
    operations,
    events: eventKinds,
    others: transferOperations(filesToTransfer(kinds)),
    descriptions: resourceDescriptions,
    states: [
      { resource: 'Businesses', machine: businessStates },
      ...kinds.flatMap(({ resource, states }) => [
        { resource, machine: states },
        { resource, machine: runStates },
      ]),
      { resource: 'Match calculations', machine: calculationStates },
      { resource: 'Funding programmes', machine: programStates },
      { resource: 'Deals', machine: dealStates },
      { resource: 'Offers', machine: offerStates },
      { resource: 'Webhooks', machine: webhookStates },
      { resource: 'Deliveries', machine: deliveryStates },
    ],
  }
  const keyDocument = createKeyDocuments(published)
  return {
    kinds,
    operations,
    eventKinds,
    jobs: [
      ...housekeepingJobs,
      ...sealingJobs,
      ...auditLogJobs,
      ...businessJobs,
      ...applicationAreas.flatMap(({ jobs }) => jobs),
      ...fileJobs(kinds),
      ...autofillJobs(applicationAreas.map(({ knowledge }) => knowledge)),
      ...dealJobs,
      ...programImportJobs,
      ...calculationJobs,
      ...webhookJobs,
      ...peoplesDataJobs(withdrawDeal),
    ],
    published,
  }
}

const applicationAreas: readonly ApplicationArea[] = [clientIntakeArea, dealApplicationArea]
const house = buildHouse(applicationAreas)
export const { operations, eventKinds, jobs, published } = house
const { kinds } = house

/** What is done beside requests: jobs, and deliveries to webhooks. */
export function startBackground(started: Context, metrics: Metrics): { isWorking(): boolean; stop(): Promise<void> } {
  const context = asServer(started)
  const worker = startWorker(context, jobs, metrics)
  const deliveryMetrics = addDeliveryMetrics(context, metrics.registry)
  const dispatcher = startDispatcher(context, deliveryMetrics)
  return {
    isWorking: worker.isWorking,
    /** Begins nothing more and waits for what is under way. */
    async stop() {
      await Promise.all([worker.stop(), dispatcher.stop()])
      await closeOutbound(context)
      deliveryMetrics.remove()
    },
  }
}

/** What every process that runs for long shows of itself and of the queue. */
export function watchProcess(context: Context, metrics: Metrics, probes: Probes): void {
  addProcessMetrics(context, metrics.registry)
  // After the connections of the process: what it asks of the database is not to count as waiting there.
  addReadyMetric(context, metrics.registry, probes)
  addQueueMetrics(context, metrics.registry, jobs)
  addBackupMetric(context, metrics.registry)
  addErasureMetrics(context, metrics.registry)
  context.trace?.addMetrics(metrics.registry)
}

/** Keeps the time of a process that runs for long. */
export function watchTime(context: TimedContext, metrics: Metrics): { stop(): Promise<void> } {
  return watchClock(context, metrics, [setBackJobs, setBackDeliveries])
}

/** A process that serves does so in nobody's name: each change names its key or its job. */
function asServer(started: Context): Context {
  return { ...started, actor: unknownActor }
}

export interface Server {
  http: FastifyInstance
  probes: Probes
  /** From now on the server is not ready, and closes each connection after its response. */
  drain(): void
  /** Ends when the last request is answered and what was noted beside requests is written. */
  close(): Promise<void>
}

export function createServer(started: Context, metrics: Metrics): Server {
  const context = asServer(started)
  let isDraining = false
  const authenticator = createAuthenticator(context)
  const { config, clock } = context
  const sharedRates = config.redis && createSharedRateLimiter(context, config.redis, metrics.registry)
  const http = createHttpApp({
    context,
    operations,
    authenticator,
    rateLimiter: sharedRates ?? createMemoryRateLimiter(clock),
    metrics,
    isDraining: () => isDraining,
  })
  const probes = createProbes(context, jobs, () => isDraining)
  registerProbes(http, probes)
  registerTransfers(http, context, createFileRecords(context, kinds))
  publishDocuments(http, published, context)
  return {
    http,
    probes,
    drain() {
      isDraining = true
    },
    async close() {
      isDraining = true
      await http.close()
      await sharedRates?.close()
      await authenticator.flush()
    },
  }
}

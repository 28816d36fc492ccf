// How often each fault strikes: enough to notice in `npm test`, the promised count with PORTICO_FAULTS=full.
export const isFull = process.env.PORTICO_FAULTS === 'full'

const full = {
  kills: 100,
  killWriters: 50,
  sharedKeys: 200,
  requestsPerKey: 50,
  cutCommits: 1000,
  races: 20,
  racingWriters: 100,
  malformedBefore: 50_000,
  malformedRequests: 100_000,
  revocations: 20,
  restarts: 50,
  uploadKills: 50,
  unreadConnections: 100,
  deliveredEvents: 10_000,
  floodedDeliveries: 50_000,
  samplesBesideFlood: 200,
  eventsPerWriter: 300,
  jumpCommands: 200,
  backedUpBusinesses: 5000,
  backedUpFiles: 100,
  overloadSeconds: 60,
  migratedRows: 1_000_000,
}

const short: typeof full = {
  kills: 3,
  killWriters: 20,
  sharedKeys: 20,
  requestsPerKey: 25,
  cutCommits: 60,
  races: 1,
  racingWriters: 100,
  malformedBefore: 500,
  malformedRequests: 2000,
  revocations: 2,
  restarts: 2,
  uploadKills: 3,
  unreadConnections: 10,
  deliveredEvents: 100,
  floodedDeliveries: 1000,
  samplesBesideFlood: 5,
  eventsPerWriter: 15,
  jumpCommands: 20,
  backedUpBusinesses: 40,
  backedUpFiles: 4,
  overloadSeconds: 2,
  migratedRows: 1000,
}

export const scale = isFull ? full : short

/** When a test is given up: many times what it takes on a machine of its own. */
export const faultTimeoutMs = isFull ? 30 * 60_000 : 180_000

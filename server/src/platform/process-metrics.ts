// What a process is, and how its database and its disks are doing.
import type { StatsFs } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Context } from './context.ts'
import { addReadGauge, type Reading, readingOf } from './read-gauges.ts'
import { version } from './version.ts'

export function addProcessMetrics({ database, config, files, log }: Context, registry: Registry): void {
  new Gauge({
    name: 'portico_build_info',
    help: 'Always 1; the labels say what runs.',
    labelNames: ['version', 'node', 'engine'],
    registers: [registry],
  }).set({ version, node: process.version, engine: database.engine }, 1)
  addReadGauge(registry, log, {
    name: 'portico_database_connections',
    help: 'Connections to the database by state, and how many wait for one. SQLite: the one that writes.',
    labels: ['state'],
    read: () => readingOf('state', { ...database.connections() }),
  })
  addTotal(registry, 'portico_database_statements_total', 'Statements sent to the database.', () => [
    { value: database.times.statements },
  ])
  addTotal(registry, 'portico_database_seconds_total', 'Time spent waiting for the database.', () => [
    { value: database.times.milliseconds / 1000 },
  ])
  addTotal(registry, 'portico_database_slow_statements_total', 'Statements that took longer than 500 ms.', () => [
    { value: database.times.slow },
  ])
  addReadGauge(registry, log, {
    name: 'portico_disk_free_bytes',
    help: 'Room on the disk of the data directory (use="data") and of the file directory (use="files").',
    labels: ['use'],
    read: () => readDisks(config, (disk) => disk.bavail * disk.bsize),
  })
  addReadGauge(registry, log, {
    name: 'portico_disk_size_bytes',
    help: 'Size of these disks.',
    labels: ['use'],
    read: () => readDisks(config, (disk) => disk.blocks * disk.bsize),
  })
  addReadGauge(registry, log, {
    name: 'portico_disk_free_inodes_ratio',
    help: 'Share of the inodes of these disks that is free, from 0 to 1. Missing where the file system does not count them.',
    labels: ['use'],
    read: () => readDisks(config, ({ files, ffree }) => (files > 0 ? ffree / files : undefined)),
  })
  const { byOperation: times } = files.times
  const perOperation = (part: 'calls' | 'failures' | 'milliseconds', by = 1): Reading =>
    [...times].map(([operation, time]) => ({ labels: { operation }, value: time[part] / by }))
  const labels = ['operation']
  addTotal(registry, 'portico_file_store_calls_total', 'Calls to the file store.', () => perOperation('calls'), labels)
  addTotal(
    registry,
    'portico_file_store_failures_total',
    'Calls that the file store did not serve.',
    () => perOperation('failures'),
    labels,
  )
  addTotal(
    registry,
    'portico_file_store_seconds_total',
    'Time spent waiting for the file store.',
    () => perOperation('milliseconds', 1000),
    labels,
  )
}

/** A counter that is kept where things happen, and read here. */
function addTotal(
  registry: Registry,
  name: string,
  help: string,
  read: () => Reading,
  labelNames: readonly string[] = [],
): void {
  new Counter({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    collect() {
      this.reset()
      for (const { labels = {}, value } of read()) this.inc(labels, value)
    },
  })
}

async function readDisks(
  { database_url, data_dir, files }: Context['config'],
  read: (disk: StatsFs) => number | undefined,
): Promise<Reading> {
  const directories: Record<string, string> = {
    ...(database_url === undefined && { data: data_dir }),
    ...(files.kind === 'disk' && { files: files.directory }),
  }
  const readings = await Promise.all(
    Object.entries(directories).map(async ([use, path]) => {
      // The directory of files is made with the first file.
      const disk = await statfs(path).catch(() => undefined)
      const value = disk && read(disk)
      return value === undefined ? [] : [{ labels: { use }, value }]
    }),
  )
  return readings.flat()
}

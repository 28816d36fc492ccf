// Starts the matching thread, which is a program of its own.
import { Worker } from 'node:worker_threads'
import { runnableProgram } from '../../../platform/source-bundles.ts'
import type { ThreadData } from './matching-task.ts'

export function startThread(entry: URL | undefined, workerData: ThreadData): Worker {
  const isSource = import.meta.url.endsWith('.ts')
  const found = entry ?? new URL(`./matching-thread.${isSource ? 'ts' : 'js'}`, import.meta.url)
  return new Worker(runnableProgram(found), { workerData })
}

// Looks through a large SQLite file beside everything else, and says what is broken.
import { parentPort, workerData } from 'node:worker_threads'
import { lookThrough } from './sqlite-damage.ts'

parentPort?.postMessage(lookThrough(workerData))

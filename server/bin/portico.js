#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { loadProgram, programFile } from './load-program.js'

if (!existsSync(programFile)) {
  console.error('portico is not built yet. Run this once: npm run build')
  process.exit(1)
}
// A command that never ends although nothing is left to wait for is a failure: Node.js then exits with 13.
await loadProgram().ended

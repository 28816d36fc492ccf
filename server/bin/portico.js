#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs'

// The kernel keeps signals from the first process of a container unless it listens. What has something to finish listens
// itself; everything else ends as it would anywhere, with the status that a shell would report.
if (process.pid === 1)
  for (const [name, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
    ['SIGHUP', 1],
  ])
    process.on(name, () => {
      if (process.listenerCount(name) === 1) process.exit(128 + number)
    })

// Before anything is loaded that an older Node.js does not have.
const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const [needed, found] = [engines.node, process.versions.node].map((text) => text.match(/\d+/g).map(Number))
if (found[0] < needed[0] || (found[0] === needed[0] && found[1] < needed[1])) {
  console.error(`portico: Node.js ${needed.join('.')} or later is needed, and this is ${process.versions.node}.`)
  process.exit(1)
}
const { loadProgram, programFile } = await import('./load-program.js')

if (!existsSync(programFile)) {
  console.error('portico is not built yet. Run this once: npm run build')
  process.exit(1)
}
// A command that never ends although nothing is left to wait for is a failure: Node.js then exits with 13.
await loadProgram().ended

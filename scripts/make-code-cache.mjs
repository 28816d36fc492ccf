// Starts the server that was just built on an empty database, stops it, and keeps what V8 has compiled by then.
// Usage: make-code-cache.mjs DIRECTORY, which is for its data.
import { chmodSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { cacheFile, loadProgram } from '../server/bin/load-program.js'

const [node, self, directory] = process.argv
const port = await freePort()
Object.assign(process.env, {
  PORTICO_DATA_DIR: directory,
  PORTICO_PORT: String(port),
  PORTICO_METRICS_PORT: 'off',
  PORTICO_LOG_LEVEL: 'silent',
})
process.argv = [node, self, 'serve']
const { ended, toCache } = loadProgram()
const deadline = performance.now() + 20_000
while (!(await isReady())) {
  if (performance.now() > deadline) process.exit(1)
  await new Promise((resolve) => setTimeout(resolve, 20))
}
process.kill(process.pid, 'SIGTERM')
await ended
// Of two builds at once each has its own.
const draft = `${cacheFile}.${process.pid}`
writeFileSync(draft, toCache())
// The program keeps what it writes to itself; this is for everybody who may run it.
chmodSync(draft, 0o644)
renameSync(draft, cacheFile)

function isReady() {
  return fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(5000) }).then(
    ({ ok }) => ok,
    () => false,
  )
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}

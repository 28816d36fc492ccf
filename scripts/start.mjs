// npm start: build when the sources are newer than the build, then serve with the demo Portal.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const built = 'server/dist/program.js'

/** What the build is made of, and what makes it: a loader must find the cache that it expects. */
const sources = [
  ...['server/src', 'server/bin', 'docs/guides'].flatMap(filesIn),
  ...['package-lock.json', 'scripts/build.mjs', 'scripts/make-code-cache.mjs'],
]

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
}

const changedAt = (file) => statSync(file).mtimeMs

if (!existsSync(built) || sources.some((file) => changedAt(file) > changedAt(built))) {
  console.log('Building …')
  const { status } = spawnSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

// A first look is for reading the welcome, not log lines.
const env = { ...process.env, PORTICO_LOG_LEVEL: process.env.PORTICO_LOG_LEVEL ?? 'warn' }
const server = spawn(process.execPath, ['server/bin/portico.js', 'serve', '--demo'], { stdio: 'inherit', env })
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal))
server.on('exit', (code) => process.exit(code ?? 1))

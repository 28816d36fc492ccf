// npm start: build when the sources are newer than the build, then serve with the demo Portal.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const built = 'server/dist/program.js'

function newestSource(folder) {
  return Math.max(
    ...readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath ?? entry.path, entry.name)).mtimeMs),
  )
}

if (
  !existsSync(built) ||
  Math.max(newestSource('server/src'), newestSource('docs/guides')) > statSync(built).mtimeMs ||
  statSync('package-lock.json').mtimeMs > statSync(built).mtimeMs
) {
  console.log('Building …')
  const { status } = spawnSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

// A first look is for reading the welcome, not log lines.
const env = { ...process.env, PORTICO_LOG_LEVEL: process.env.PORTICO_LOG_LEVEL ?? 'warn' }
const server = spawn(process.execPath, ['server/bin/portico.js', 'serve', '--demo'], { stdio: 'inherit', env })
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal))
server.on('exit', (code) => process.exit(code ?? 1))

// npm run verify: types, lint and format, generated files, architecture. Needs no database and takes seconds.
import { spawnSync } from 'node:child_process'

const checks = [
  ['types', 'tsc', '-p', '.'],
  ['lint and format', 'biome', 'check', '--error-on-warnings', '.'],
  ['generated files', 'tsx', 'server/src/reference/generate.ts', '--check'],
  ['OpenAPI lint', 'redocly', 'lint', '--config', 'redocly.yaml', 'docs/generated/openapi.json'],
  ['architecture', 'vitest', 'run', '--config', 'vitest.verify.config.ts'],
]

for (const [name, command, ...args] of checks) {
  const { status, stdout, stderr } = spawnSync('npx', ['--no-install', command, ...args], {
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  })
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`)
  if (status !== 0) {
    console.error(stdout + stderr)
    process.exit(1)
  }
}

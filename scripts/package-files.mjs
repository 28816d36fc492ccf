// npm pack takes what lies inside the package. What an installation needs of the rest of this repository is put there
// before (add), with a fresh build, and taken away again after it (remove).
import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))))
const files = [
  'LICENSE',
  'CHANGELOG.md',
  'deploy/nginx',
  'deploy/systemd',
  'deploy/grafana-dashboard.json',
  'deploy/prometheus-alerts.yaml',
  'docs/operating.md',
  'docs/operating',
  'docs/capacity.md',
  'docs/benchmarks.md',
  'docs/decisions',
  'docs/generated/configuration.md',
]
const places = ['LICENSE', 'CHANGELOG.md', 'deploy', 'docs']

for (const place of places) rmSync(`server/${place}`, { recursive: true, force: true })
if (process.argv[2] === 'add') {
  const { status } = spawnSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
  for (const file of files) cpSync(file, `server/${file}`, { recursive: true })
}

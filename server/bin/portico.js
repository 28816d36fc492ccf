#!/usr/bin/env node
import { existsSync } from 'node:fs'

const program = new URL('../dist/main.js', import.meta.url)
if (!existsSync(program)) {
  console.error('portico is not built yet. Run this once: npm run build')
  process.exit(1)
}
await import(program.href)

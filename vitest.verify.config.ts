import { defineConfig } from 'vitest/config'

/** Only the tests that need neither a database nor a build; given up as late as all others. */
export default defineConfig({ test: { include: ['server/src/architecture.test.ts'], testTimeout: 180_000 } })

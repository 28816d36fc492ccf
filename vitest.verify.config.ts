import { defineConfig } from 'vitest/config'

/** Only the tests that need neither a database nor a build. */
export default defineConfig({ test: { include: ['server/src/architecture.test.ts'] } })

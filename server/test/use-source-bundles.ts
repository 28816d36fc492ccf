// In each process of the tests: it takes the bundles of the run.
import { inject } from 'vitest'
import { knownBundles } from '../src/platform/source-bundles.ts'

for (const [path, bundle] of Object.entries(inject('sourceBundles'))) knownBundles.set(path, bundle)

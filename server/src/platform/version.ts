import manifest from '../../package.json' with { type: 'json' }

/** Of this release, as the package says it. */
export const version = manifest.version

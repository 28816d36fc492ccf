// The program is one function in one file. Beside it the build leaves what V8 has made of it, its code cache: with it a
// server starts in two thirds of the time. V8 would trust a cache that is damaged, of other source or of another build of
// the same V8, and crash or run the old program. So the cache ends with a checksum of all three, and is left alone unless
// it fits. Without one the program is compiled as any other.
import { readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { constants, Script } from 'node:vm'
import { crc32 } from 'node:zlib'

const url = new URL('../dist/program.js', import.meta.url)
export const programFile = fileURLToPath(url)
export const cacheFile = `${programFile}.cache`

/** Runs the program. `ended` settles when it has; `toCache` makes a cache of what V8 has compiled by then. */
export function loadProgram() {
  const bytes = readFileSync(programFile)
  // In ASCII (scripts/build.mjs).
  const script = new Script(bytes.latin1Slice(), {
    // As stack traces show it. The cache has it, too, so it must be the same wherever the program is installed.
    filename: 'portico/dist/program.js',
    cachedData: readCache(bytes),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  const module = { exports: {} }
  const run = script.runInThisContext()
  run(createRequire(url), module, module.exports, programFile, dirname(programFile), url.href)
  const { ended } = module.exports
  return { ended, toCache: () => sealCache(bytes, script.createCachedData()) }
}

function readCache(bytes) {
  try {
    const file = readFileSync(cacheFile)
    const cache = file.subarray(0, -4)
    return checksumOf(bytes, cache).equals(file.subarray(-4)) ? cache : undefined
  } catch {
    return undefined // none was made, it is not for us to read, or nobody can tell what build of Node.js this is
  }
}

/** With its checksum at the end. */
export function sealCache(bytes, cache) {
  return Buffer.concat([cache, checksumOf(bytes, cache)])
}

function checksumOf(bytes, cache) {
  const { versions, config, platform, arch, execPath } = process
  const build = JSON.stringify([versions, config, platform, arch, statSync(execPath).size])
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(cache, crc32(bytes, crc32(build))))
  return sum
}

// portico doctor on disks that are full or nearly so: each a file system in memory, in a name space of its own.
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cleanEnvironment, program } from './built-program.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'portico-small-disks-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0
if (!canMount && !process.env.CI) process.stderr.write('\nSKIPPED: small disks. They need the right to mount one.\n')
const testHere = canMount || process.env.CI ? test : test.skip

testHere(
  'doctor says to free space on full disks, warns of little room for files alone, and leaves nothing behind',
  async () => {
    const [data, files] = ['data', 'files'].map((name) => join(root, name))
    for (const directory of [data, files]) mkdirSync(directory ?? '')
    const look = async (filled: string) => {
      const script = `
      mount -t tmpfs -o size=64k none "$0" && mount -t tmpfs -o size=288k none "$1" || exit 9
      head -c 1000000 /dev/zero >"${filled}/full" 2>/dev/null
      "$2" "$3" doctor
      ls -A "$0" "$1" | grep portico-doctor`
      const words = ['-rm', 'sh', '-c', script, data ?? '', files ?? '', process.execPath, program]
      const env = cleanEnvironment({ PORTICO_DATA_DIR: data ?? '', PORTICO_FILES_URL: files ?? '' })
      // grep finds nothing, and says so with its exit code.
      return promisify(execFile)('unshare', words, { env }).then(
        ({ stdout }) => expect.fail(stdout),
        ({ stdout }) => String(stdout),
      )
    }
    const fullData = await look('$0')
    expect(fullData).toMatch(/✗ data directory: .* ENOSPC.*\. Free some space on its disk, or enlarge the disk\.\n/)
    expect(fullData).not.toContain('Set PORTICO_DATA_DIR')
    expect(fullData).toContain('✓ file store: Files can be written and deleted.\n')
    expect(fullData).toMatch(/! file store: .*files has only 0 MB free\. Free some space or enlarge the disk\.\n/)
    expect(fullData).not.toContain('.portico-doctor')

    const fullFiles = await look('$1')
    expect(fullFiles).toContain(
      '✗ file store: The disk with the file directory is full. Free some space or enlarge the disk.\n',
    )
    expect(fullFiles).toMatch(/! data directory: .* has only 0 MB free/)
  },
)

// The real Tesseract of this machine, and programs that only claim to be one.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, onTestFinished } from 'vitest'
import { readConfig } from '../src/platform/config.ts'

export const tesseract = readConfig({ PATH: process.env.PATH }).tesseract

const howToInstall =
  'These tests need Tesseract. On Debian or Ubuntu: apt-get install tesseract-ocr tesseract-ocr-deu tesseract-ocr-fra tesseract-ocr-spa'

/** Without Tesseract it is skipped with a loud word; where nothing may be skipped it fails instead. */
export function describeWithTesseract(name: string, tests: () => void): void {
  if (tesseract === undefined && process.env.CI) throw new Error(howToInstall)
  if (tesseract === undefined) process.stderr.write(`\nSKIPPED: ${name}. ${howToInstall}\n`)
  ;(tesseract === undefined ? describe.skip : describe)(name, tests)
}

/** For the tests of a file: the real one, which looks at each picture once and says the same of the same bytes again. */
export function rememberingTesseract(): string | undefined {
  if (tesseract === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'portico-remembering-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'tesseract')
  writeFileSync(
    path,
    `#!/bin/sh
case "$1" in --*) exec '${tesseract}' "$@";; esac
picture=${folder}/picture-$$
cat > $picture
known=${folder}/$( (echo "$@"; cat $picture) | sha256sum | cut -c -64)
[ -f $known ] || { '${tesseract}' "$@" < $picture > $picture-said && mv $picture-said $known; } || exit 1
rm $picture
cat $known
`,
    { mode: 0o755 },
  )
  return path
}

/** For one test: a program that answers what it is asked before a picture, and then does something else with the picture. */
export function pretendedTesseract(script: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'portico-pretended-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'tesseract')
  const about = 'case "$1" in --version) echo "tesseract 5.3.0"; exit;; --list-langs) echo eng; exit;; esac'
  writeFileSync(path, `#!/bin/sh\n${about}\n${script}\n`, { mode: 0o755 })
  return path
}

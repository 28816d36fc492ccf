// Reads the text of a setting, or says in the words after its name what the text must be.
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

export function readNonEmpty(text: string): string {
  if (text.trim() === '') throw new Error('must not be empty')
  return text
}

export function readInteger(text: string, minimum: number, maximum: number): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < minimum || value > maximum) {
    throw new Error(`must be a whole number from ${minimum} to ${maximum}, not "${text}"`)
  }
  return value
}

export function readPort(text: string): number {
  return readInteger(text, 1, 65_535)
}

export function readChoice<T extends string>(text: string, choices: readonly T[]): T {
  const choice = choices.find((candidate) => candidate === text)
  if (choice === undefined) throw new Error(`must be one of ${choices.join(', ')}, not "${text}"`)
  return choice
}

export function readPublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) throw new Error('must be an http or https URL')
  if (url.pathname !== '/' || url.search || url.hash) throw new Error('must have no path, query or fragment')
  if (url.username || url.password) throw new Error('must not contain a user name or password')
  return url.origin
}

export function readTesseract(
  text: string,
  { PATH = '' }: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (text === 'off') return undefined
  if (text !== 'auto' && (!isAbsolute(text) || !isProgram(text)))
    throw new Error(`must be auto, off or the absolute path of a program, not "${text}"`)
  if (text !== 'auto') return text
  return PATH.split(delimiter)
    .filter(isAbsolute)
    .map((directory) => join(directory, 'tesseract'))
    .find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

export function readSecretKey(text: string): Buffer {
  const key = Buffer.from(text, 'base64')
  if (key.length !== 32) throw new Error(`must be 32 bytes in base64, not ${key.length} bytes`)
  return key
}

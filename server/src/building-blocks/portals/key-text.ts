// The text of an API key: ptk_<live|stg>_<secret><checksum>.
// The secret is 32 base62 characters (190 bits); the checksum lets a mistyped or invented key be refused without a query.
import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Config } from '../../platform/config.ts'

type Environment = Config['environment']

export function newKeyText(environment: Environment): string {
  let secret = ''
  for (let i = 0; i < secretLength; i++) secret += alphabet[randomInt(alphabet.length)]
  const body = `ptk_${prefixes[environment]}_${secret}`
  return body + checksumOf(body)
}

/** The environment a well-formed key belongs to; undefined for anything else. */
export function environmentOfKey(text: string): Environment | undefined {
  const match = keyForm.exec(text)
  if (!match || checksumOf(text.slice(0, -checksumLength)) !== text.slice(-checksumLength)) return undefined
  return match[1] === 'live' ? 'production' : 'staging'
}

function checksumOf(body: string): string {
  let value = crc32(body)
  let text = ''
  for (let i = 0; i < checksumLength; i++) {
    text = alphabet[value % alphabet.length] + text
    value = Math.floor(value / alphabet.length)
  }
  return text
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 32
const checksumLength = 6
const prefixes = { staging: 'stg', production: 'live' } as const
const keyForm = /^ptk_(live|stg)_[0-9A-Za-z]{38}$/

import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newId } from '../../platform/values/ids.ts'
import { appendToLedger, type LedgerEntry, ledgerFile, readLedger } from './ledger.ts'

const newEntry = (): LedgerEntry => ({
  portal_id: newId('ptl'),
  business_id: newId('biz'),
  erasure_id: newId('ers'),
  at: '2026-01-31T12:00:00.000Z',
  scope: { recipients: false, funded: true },
})

test('nothing that another process wrote is ever taken away, and a line that a crash cut off counts as none', async () => {
  const data_dir = mkdtempSync(join(tmpdir(), 'portico-ledger-'))
  const file = ledgerFile({ data_dir })
  const [first, second, third] = [newEntry(), newEntry(), newEntry()]
  await appendToLedger({ data_dir }, [first])
  appendFileSync(file, JSON.stringify(newEntry()).slice(0, 70))
  const before = readFileSync(file, 'utf8')
  await appendToLedger({ data_dir }, [second])
  // A process that saw the same cut-off line ends it a second time.
  appendFileSync(file, ` (unfinished)\n${JSON.stringify(third)}\n`)
  await appendToLedger({ data_dir }, [second])
  expect(readFileSync(file, 'utf8').slice(0, before.length)).toBe(before)
  expect(await readLedger(file)).toEqual([first, second, third])
  // As in a collected list, which has the erasure as it was before it was finished, and as it is now.
  for (const state of ['pending', 'completed']) appendFileSync(file, `${JSON.stringify({ ...third, state })}\n`)
  expect(await readLedger(file)).toEqual([first, second, third])
  appendFileSync(file, '{"portal_id":\n')
  await expect(readLedger(file)).rejects.toThrow('Line 8')
  rmSync(data_dir, { recursive: true })
})

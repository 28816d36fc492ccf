import { portalIds } from '../../platform/background/housekeeping.ts'
import type { JobDefinition } from '../../platform/background/jobs.ts'
import { attemptSeparately } from '../../platform/background/separate-attempts.ts'
import { minute } from '../../platform/clock.ts'
import { inTransaction } from '../../platform/database/races.ts'
import { sortKey } from '../../platform/values/text-keys.ts'
import { toColumns } from './records.ts'
import { listUnfoldedBusinesses, replaceBusinessWords, updateSearchKeys } from './search-queries.ts'
import { indexWords, searchWords, wordsInText } from './search-words.ts'

export const businessJobs: readonly JobDefinition[] = [
  {
    // Rewrites what a business is found, sorted and compared by, where an earlier release has written it. Small
    // transactions, and nothing to do once all are rewritten; an earlier release that still runs may add more.
    kind: 'businesses.rewrite_search_words',
    every_ms: 10 * minute,
    timeout_ms: 4 * minute,
    async run(context, { signal }) {
      const each = attemptSeparately(context, signal)
      for (const portal_id of await portalIds(context))
        await each.attempt({ portal_id }, async () => {
          while (!signal.aborted) {
            const rows = await listUnfoldedBusinesses(context.database.read, portal_id, batchSize)
            await inTransaction(context.database, async (tx) => {
              for (const { search_text, ...row } of rows) {
                const { name_match, registration_match, search_text: after } = toColumns(row)
                const keys = { name_sort: sortKey(row.legal_name), name_match, registration_match, search_text: after }
                if (!(await updateSearchKeys(tx, portal_id, row, keys))) continue
                const stored = wordsInText(search_text)
                const words = { possible: stored, certain: stored, after: indexWords(searchWords(row)) }
                await replaceBusinessWords(tx, portal_id, row.id, words)
              }
            })
            if (rows.length < batchSize) break
          }
        })
      each.end()
    },
  },
]

/** Few enough that nobody waits for the transaction. */
const batchSize = 50

// Proves a chain: each entry has the hash of its content, the number after the one before and the hash of the one before.
// The same for the database and for an exported file, which may begin in the middle of a chain.
import { type AuditEntry, firstHash, hashOf } from '../../platform/audit/entries.ts'
import { counted } from '../../platform/values/counted.ts'

/** An end of a chain: its last entry. */
type ChainEnd = Pick<AuditEntry, 'sequence' | 'hash'>

export interface ChainFinding {
  portal_id: string
  /** How many entries are proven. */
  entries: number
  /** The last of them; null when there is none. */
  head: ChainEnd | null
  /** The first entry that is not as it was written. */
  broken: { sequence: number; id: string | null; problem: string } | null
}

export interface ChainCheck {
  /** Looks at the next entry; false from the first broken one on, because what follows proves nothing. */
  take(entry: AuditEntry): boolean
  /** What was found. Where the end of the chain is known, it must have been reached. */
  end(known?: ChainEnd): ChainFinding
}

/** `isWhole`: the chain must begin with its first entry. */
export function checkChain(portal_id: string, { isWhole }: { isWhole: boolean }): ChainCheck {
  const finding: ChainFinding = { portal_id, entries: 0, head: null, broken: null }
  return {
    take(entry) {
      const before = finding.head ?? (isWhole || entry.sequence === 1 ? beginning : undefined)
      finding.broken ??= brokenBy(entry, before)
      if (finding.broken) return false
      finding.entries++
      finding.head = { sequence: entry.sequence, hash: entry.hash }
      return true
    },
    end(known) {
      const { sequence, hash } = finding.head ?? beginning
      if (known && (known.sequence !== sequence || known.hash !== hash))
        finding.broken ??= brokenAtEnd({ sequence, hash }, known)
      return finding
    },
  }
}

/** The end of a chain that has no entries. */
export const beginning: ChainEnd = { sequence: 0, hash: firstHash }

function brokenBy(entry: AuditEntry, before: ChainEnd | undefined): ChainFinding['broken'] {
  const { hash, ...content } = entry
  const { sequence, id, previous_hash } = entry
  if (before && sequence > before.sequence + 1)
    return { sequence: before.sequence + 1, id: null, problem: 'it is missing' }
  if (before && sequence <= before.sequence) return { sequence, id, problem: `it comes after entry ${before.sequence}` }
  if (hashOf(content) !== hash) return { sequence, id, problem: 'it was changed: its hash does not match its content' }
  if (before && previous_hash !== before.hash)
    return { sequence, id, problem: 'the entry before was replaced: its hash is not the previous_hash of this one' }
  return null
}

function brokenAtEnd(reached: ChainEnd, known: ChainEnd): ChainFinding['broken'] {
  const missing = known.sequence - reached.sequence
  if (missing > 0) {
    const problem = missing === 1 ? 'it is missing' : `it is missing, and so are the ${missing - 1} after it`
    return { sequence: reached.sequence + 1, id: null, problem }
  }
  const problem = `the recorded end of the log is different: ${counted(known.sequence, 'entry', 'entries')}, hash ${known.hash}`
  return { sequence: reached.sequence, id: null, problem }
}

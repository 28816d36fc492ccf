// Several sources may name the same people. A row is told by its names; without any, by everything it says.
import type { Fact } from './facts.ts'

interface Row {
  identity: string
  facts: Fact[]
}

/** The rows of all sources, those of the same person put together, in the order they first appear. */
export function matchRows(facts: readonly Fact[]): Row[] {
  const bySource = new Map<string, Fact[]>()
  for (const fact of facts) {
    // The same number means the same row only within one record or document.
    const name = `${fact.source} ${documentOf(fact.reference)} ${fact.row}`
    const row = bySource.get(name)
    if (row) row.push(fact)
    else bySource.set(name, [fact])
  }
  const rows = new Map<string, Row>()
  for (const own of bySource.values()) {
    const identity = identityOf(own)
    const known = rows.get(identity)
    if (known) known.facts.push(...own)
    else rows.set(identity, { identity, facts: own })
  }
  return [...rows.values()]
}

function identityOf(facts: readonly Fact[]): string {
  const textOf = (end: string) =>
    facts
      .filter(({ fact }) => fact.endsWith(end))
      .map(({ value }) => words(value))
      .join(' ')
  const names = `${textOf('.first_name')} ${textOf('.last_name')}`.trim()
  if (names !== '') return names
  return facts.map(({ fact, value }) => `${fact}=${words(JSON.stringify(value))}`).join(' ')
}

function words(value: unknown): string {
  return String(value)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

function documentOf(reference: string | null): string {
  return reference?.split(',', 1)[0] ?? ''
}

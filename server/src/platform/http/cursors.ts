// A cursor is the encrypted position where a page ended: clients cannot read it, change it or use it for another
// collection. It is bound to Portal, environment and collection, and remembers page_size, order and filters.
import { hash } from 'node:crypto'
import { hour } from '../clock.ts'
import type { Position } from '../database/paging.ts'
import { ApiError } from '../protocol/errors.ts'
import type { Vault } from '../vault.ts'

export interface Cursor extends Position {
  direction: 'forward' | 'backward'
  order: string
  page_size: number
  /** A short digest per filter: enough to name the one that changed. */
  filters: Readonly<Record<string, string>>
  issued_at: number
}

const cursorLifetimeMs = 72 * hour

export function sealCursor(vault: Vault, scope: string, cursor: Cursor): string {
  const { values, inclusive, direction, order, page_size, filters, issued_at } = cursor
  return vault.seal(
    'cursor',
    JSON.stringify([direction === 'forward' ? 1 : 0, inclusive ? 1 : 0, values, order, page_size, filters, issued_at]),
    scope,
  )
}

export function openCursor(vault: Vault, scope: string, sealed: string, now: number): Cursor {
  const text = vault.open('cursor', sealed, scope)
  if (text === undefined) {
    throw new ApiError('invalid_cursor', {
      details: [
        {
          location: 'query',
          name: 'cursor',
          code: 'invalid_cursor',
          message: 'cursor must be a next_cursor or previous_cursor that this collection returned, unchanged.',
        },
      ],
    })
  }
  const [forward, inclusive, values, order, page_size, filters, issued_at] = JSON.parse(text)
  if (now - issued_at > cursorLifetimeMs) {
    throw new ApiError('cursor_expired', {
      details: [
        {
          location: 'query',
          name: 'cursor',
          code: 'cursor_expired',
          message: 'The cursor is older than 72 hours.',
          meta: { issued_at: new Date(issued_at).toISOString() },
        },
      ],
    })
  }
  return {
    direction: forward === 1 ? 'forward' : 'backward',
    inclusive: inclusive === 1,
    values,
    order,
    page_size,
    filters,
    issued_at,
  }
}

/** Refuses a request that is not the one its cursor was issued for, naming what changed. */
export function requireSameRequest(
  cursor: Cursor,
  request: { order: string; page_size: number | undefined; filters: Record<string, string> },
): void {
  const names = new Set([...Object.keys(cursor.filters), ...Object.keys(request.filters)])
  const changed = [...names].filter((name) => cursor.filters[name] !== request.filters[name])
  if (request.page_size !== undefined && request.page_size !== cursor.page_size) changed.push('page_size')
  if (request.order !== cursor.order) changed.push('order')
  if (changed.length === 0) return
  throw new ApiError('cursor_mismatch', {
    details: changed.map((name) => ({
      location: 'query',
      name,
      code: 'cursor_mismatch',
      message: `${name} differs from the request that returned the cursor.`,
      meta: { changed },
    })),
  })
}

export function digestFilters(filters: Record<string, unknown>): Record<string, string> {
  const digests: Record<string, string> = {}
  for (const name in filters) {
    const value = filters[name]
    if (value !== undefined) digests[name] = hash('sha256', String(value), 'base64url').slice(0, 8)
  }
  return digests
}

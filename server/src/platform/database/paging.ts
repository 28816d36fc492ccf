// Keyset paging: a page begins where the last one ended, found through an index, however deep it is.
// Orders are total (the id is last), so equal sort keys never skip or repeat a row.
import { type Expression, PostgresAdapter, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { compileOnce } from './compiled-query.ts'
import type { Connection } from './database.ts'
import type { Tables } from './tables.ts'

/** The edge of a page. */
export interface Position {
  /** The sort key of the row there; its id is last. */
  values: readonly (string | number)[]
  /** Whether that row itself is part of the next page: only after a page that turned out empty. */
  inclusive: boolean
}

export interface PageRequest {
  /** Name of one of the collection's orders. */
  order: string
  is_descending: boolean
  size: number
  direction: 'forward' | 'backward'
  /** Where to begin; undefined for the first page. */
  position: Position | undefined
}

export interface Page<Row> {
  items: Row[]
  next: Position | null
  previous: Position | null
}

export function mapPage<A, B>(page: Page<A>, map: (row: A) => B): Page<B> {
  return { ...page, items: page.items.map(map) }
}

/** One page of several collections in the same order, made of the page that each of them has for the request. */
export function mergePages<Row extends object>(
  pages: readonly Page<Row>[],
  { size, direction, is_descending, position }: PageRequest,
  columns: readonly string[],
): Page<Row> {
  const isForward = direction === 'forward'
  const keyOf = (row: Row) => edgeOf(row, columns)?.values ?? []
  const all = pages.flatMap(({ items }) => items)
  all.sort((a, b) => (isAfter(keyOf(a), keyOf(b)) !== is_descending ? 1 : -1))
  const items = isForward ? all.slice(0, size) : all.slice(-size)
  const hasMore = all.length > size || pages.some(({ next, previous }) => (isForward ? next : previous) !== null)
  const hasBehind = pages.some(({ next, previous }) => (isForward ? previous : next) !== null)
  const [first, last] = [edgeOf(items[0], columns), edgeOf(items.at(-1), columns)]
  const [edgeAhead, edgeBehind] = isForward ? [last, first] : [first, last]
  const ahead = (hasMore && edgeAhead) || null
  const behind = (hasBehind && (edgeBehind ?? (position && { ...position, inclusive: true }))) || null
  return { items, next: isForward ? ahead : behind, previous: isForward ? behind : ahead }
}

/** A page of a short list that is in memory whole, in its own order; forward only. */
export function pageOfList<T>(
  list: readonly T[],
  page: PageRequest,
  keyOf: (one: T) => readonly (string | number)[],
): Page<T> {
  const { position, size } = page
  const start = position ? list.findIndex((one) => isAfter(keyOf(one), position.values)) : 0
  const items = start === -1 ? [] : list.slice(start, start + size)
  const last = items.at(-1)
  const hasMore = start !== -1 && start + size < list.length
  return {
    items,
    next: hasMore && last !== undefined ? { values: keyOf(last), inclusive: false } : null,
    previous: null,
  }
}

function isAfter(key: readonly (string | number)[], position: readonly (string | number)[]): boolean {
  for (const [index, value] of key.entries()) {
    const other = position[index] ?? ''
    if (value !== other) return value > other
  }
  return false
}

interface PagedQuerySpec<Table extends keyof Tables, Row, Fixed extends Record<string, unknown>> {
  /** The rows of the whole collection, without order or limit. */
  rows(db: Connection, fixed: Fixed): SelectQueryBuilder<Tables, Table, Row>
  /** A condition for each filter, by name; made of its value and of what the collection's rows are chosen by. */
  filters: Readonly<Record<string, (value: unknown, fixed: Fixed) => RawBuilder<SqlBool>>>
  /** The columns of each order, the id last. They must be among the selected ones. */
  orders: Readonly<Record<string, readonly string[]>>
  /**
   * Where the collection is that of many owners and the engine can look into it for each of them: a table of the owners,
   * called `owners`. The rows are then those of one of them. Each owner's page is found along the index by itself, and
   * they are merged.
   */
  owners?(db: Connection, fixed: Fixed): RawBuilder<unknown> | undefined
}

type Conditions<Name extends string> = Record<Name, (value: unknown) => RawBuilder<SqlBool>>

/** Filters that leave the rows with the value in the column of the filter's name. */
export function equalFilters<Name extends string>(...names: Name[]): Conditions<Name> {
  const conditions = names.map((name) => [name, (value: unknown) => sql<SqlBool>`${sql.ref(name)} = ${value}`])
  // safe because every name has its condition
  return Object.fromEntries(conditions) as Conditions<Name>
}

/** The filters by time of creation, which most collections have. */
export const createdConditions: Conditions<'created_after' | 'created_before'> = {
  created_after: (value) => sql`created_at > ${value}`,
  created_before: (value) => sql`created_at < ${value}`,
}

export function definePagedQuery<Table extends keyof Tables, Row extends object, Fixed extends Record<string, unknown>>(
  spec: PagedQuerySpec<Table, Row, Fixed>,
) {
  const run = compileOnce<Record<string, unknown>, Row>((db, values, shapeText) => {
    const shape: Shape = JSON.parse(shapeText)
    // safe because the placeholders answer to every name, those of Fixed among them
    const fixed = values as Fixed
    let query = spec.rows(db, fixed)
    const columns = columnsOf(spec.orders, shape.order)
    const isByTime = columns[0] === 'created_at'
    const isBound = (name: string) => isByTime && name in createdConditions
    const filters = shape.filters.filter((name) => !(isBound(name) && isPassed(name, shape)))
    for (const name of filters) {
      const condition = conditionOf(spec.filters[name], name)(values[`filter_${name}`], fixed)
      query = query.where(isBound(name) ? asBound(db, condition) : condition)
    }
    if (shape.compare) {
      const tuple = sql.join(columns.map((column) => sql.ref(column)))
      const position = sql.join(columns.map((_, index) => values[`position_${index}`]))
      const isBeyond = sql<SqlBool>`(${tuple}) ${sql.raw(shape.compare)} (${position})`
      query = query.where(filters.some(isBound) ? asBound(db, isBeyond) : isBeyond)
    }
    const owners = spec.owners?.(db, fixed)
    if (shape.probe) {
      const probe = query.clearSelect().select(sql`1`.as('one')).limit(1)
      // safe because only the number of rows is looked at
      return (owners ? ofEach(db, owners, probe).limit(1) : probe) as unknown as SelectQueryBuilder<Tables, Table, Row>
    }
    const inOrder = (rows: typeof query) => {
      for (const column of columns) rows = rows.orderBy(sql.ref(column), shape.ascending ? 'asc' : 'desc')
      // safe because a placeholder for a number stands where the number goes
      return rows.limit(values.limit as number)
    }
    // safe because the rows of all owners are like those of one
    return inOrder(owners ? (ofEach(db, owners, inOrder(query)) as unknown as typeof query) : query)
  })

  return async (
    db: Connection,
    fixed: Fixed,
    filters: Record<string, unknown>,
    page: PageRequest,
  ): Promise<Page<Row>> => {
    const names = Object.keys(filters)
      .filter((name) => filters[name] !== undefined)
      .sort()
    const values: Record<string, unknown> = { ...fixed }
    for (const name of names) values[`filter_${name}`] = filters[name]
    const columns = columnsOf(spec.orders, page.order)
    const isForward = page.direction === 'forward'

    const fetch = (ascending: boolean, from: Position | undefined, probe: boolean) => {
      const shape: Shape = {
        filters: names,
        order: page.order,
        ascending,
        probe,
        compare: from && `${ascending ? '>' : '<'}${from.inclusive ? '=' : ''}`,
      }
      const bound: Record<string, unknown> = { ...values, limit: page.size + 1 }
      from?.values.forEach((value, index) => {
        bound[`position_${index}`] = value
      })
      return run(db, bound, JSON.stringify(shape))
    }
    const ascendingWhen = (forward: boolean) => forward !== page.is_descending

    // What lies behind is certain to be nothing on the first page, and looked up beside the page itself otherwise:
    // whatever is not after the position is before it.
    const { position } = page
    const [rows, rowsBehind] = await Promise.all([
      fetch(ascendingWhen(isForward), position, false),
      position ? fetch(ascendingWhen(!isForward), { ...position, inclusive: !position.inclusive }, true) : [],
    ])
    const hasMoreAhead = rows.length > page.size
    if (hasMoreAhead) rows.pop()
    if (!isForward) rows.reverse()

    const edgeAhead = edgeOf(isForward ? rows.at(-1) : rows[0], columns)
    const edgeBehind =
      edgeOf(isForward ? rows[0] : rows.at(-1), columns) ?? (position && { ...position, inclusive: true })
    const ahead = hasMoreAhead && edgeAhead ? edgeAhead : null
    const behind = rowsBehind.length > 0 && edgeBehind ? edgeBehind : null
    return { items: rows, next: isForward ? ahead : behind, previous: isForward ? behind : ahead }
  }
}

/** Whether a query can look something up for each row of a table: SQLite has no word for that. */
export function canLookUpForEach(db: Connection): boolean {
  return isPostgres(db)
}

/**
 * SQLite, which does not know how the values are spread, would rather go between two times (a bound and the position of a
 * page) past everything than by the value of a filter from there on. It is told that each of them leaves nearly all rows.
 */
function asBound(db: Connection, condition: RawBuilder<SqlBool>): RawBuilder<SqlBool> {
  return isPostgres(db) ? condition : sql`likelihood(${condition}, 0.9)`
}

/**
 * The position is that of a row within the bounds: whatever comes after it is later than the lower one, too. An engine
 * that is told both may begin at the bound, and read everything before the page again.
 */
function isPassed(name: string, { compare }: Shape): boolean {
  return compare !== undefined && name === (compare.startsWith('>') ? 'created_after' : 'created_before')
}

function isPostgres(db: Connection): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

/** What a query finds for each of the owners. */
function ofEach(db: Connection, owners: RawBuilder<unknown>, query: Expression<unknown>) {
  return db.selectFrom(sql`${owners} cross join lateral ${query}`.as(sql`page`)).selectAll('page')
}

interface Shape {
  filters: string[]
  order: string
  ascending: boolean
  /** Only whether there is a row, not which. */
  probe: boolean
  compare: string | undefined
}

function edgeOf(row: object | undefined, columns: readonly string[]): Position | undefined {
  // safe because the columns of an order are selected ones, and all of them texts or numbers
  return (
    row && { values: columns.map((column) => (row as Record<string, string | number>)[column] ?? ''), inclusive: false }
  )
}

function columnsOf(orders: Readonly<Record<string, readonly string[]>>, name: string): readonly string[] {
  const columns = orders[name]
  if (!columns) throw new Error(`no such order: ${name}`)
  return columns
}

function conditionOf<Filter>(filter: Filter | undefined, name: string): Filter {
  if (!filter) throw new Error(`no such filter: ${name}`)
  return filter
}

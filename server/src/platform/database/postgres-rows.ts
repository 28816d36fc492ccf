// Rows as SQLite gives them: times as ISO texts, dates as texts, bigints as numbers. How the rows of a statement are
// made is worked out once: the driver's own way works it out for every answer, which takes longer than making a row.
import pg from 'pg'
import { createRowMaker } from './row-maker.ts'

interface Field {
  name: string
  dataTypeID: number
}

interface Layout {
  fields: readonly Field[]
  read(texts: (string | null)[]): Record<string, unknown>
}

/** A query of the driver that makes its rows itself. */
export class RowQuery extends pg.Query {
  declare name: string | undefined
  declare text: string
  /** The rows of the answer. (`rows` is the driver's: how many it should fetch at a time.) */
  readonly made: Record<string, unknown>[] = []
  /** Why a row could not be made. */
  failure: unknown
  #layout: Layout | undefined

  /** Called by the driver, before the rows. */
  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.#layout = layoutOf(this.text, fields)
  }

  /** Called by the driver, with the texts of one row. */
  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    try {
      if (this.#layout) this.made.push(this.#layout.read(fields))
    } catch (error) {
      this.failure = error
    }
  }
}

function layoutOf(text: string, fields: readonly Field[]): Layout {
  const known = layouts.get(text)
  if (known && isSame(known.fields, fields)) return known
  if (layouts.size >= maximumLayouts) layouts.clear()
  const makeRow = createRowMaker(fields.map(({ name }) => name))
  const parsers = fields.map(({ dataTypeID }) => ownParsers[dataTypeID] ?? pg.types.getTypeParser(dataTypeID))
  const layout: Layout = {
    fields,
    read(texts) {
      const values: unknown[] = texts
      for (let i = 0; i < texts.length; i++) {
        const value = texts[i]
        if (typeof value === 'string') values[i] = parsers[i]?.(value)
      }
      return makeRow(values)
    },
  }
  layouts.set(text, layout)
  return layout
}

/** A statement may come to mean other columns, when a migration changes them under a running server. */
function isSame(a: readonly Field[], b: readonly Field[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ name, dataTypeID }, index) => name === b[index]?.name && dataTypeID === b[index]?.dataTypeID)
  )
}

/** `2026-01-31 12:00:00.5+00`, as a connection in UTC writes it. Rewriting is many times faster than parsing. */
function toIsoTime(text: string): string {
  if (!utcTime.test(text)) return new Date(text).toISOString()
  const milliseconds = text.slice(20, -3).padEnd(3, '0')
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${milliseconds}Z`
}

const utcTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,3})?\+00$/

const ownParsers: Record<number, (text: string) => unknown> = {
  [pg.types.builtins.INT8]: Number,
  [pg.types.builtins.TIMESTAMPTZ]: toIsoTime,
  [pg.types.builtins.DATE]: (text) => text,
}

const layouts = new Map<string, Layout>()
const maximumLayouts = 500

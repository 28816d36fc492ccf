import type { ColumnType } from 'kysely'

/** Read parsed, written as JSON text: a bare array would reach PostgreSQL as an array of its own kind. */
export type Json<T> = ColumnType<T, string, string>

type Row = Record<string, unknown>

/**
 * Makes rows from arrays of their values. The function is written out as code, column by column: all rows of a query
 * then have one shape from the start, which is several times faster to make and to read than filling them name by name.
 */
export function createRowMaker(columns: readonly string[]): (values: readonly unknown[]) => Row {
  const fields = columns.map((name, index) => `${JSON.stringify(name)}: values[${index}]`)
  // safe because the code is made of nothing but the names of columns, which come from our own queries
  return new Function('values', `return { ${fields.join(', ')} }`) as (values: readonly unknown[]) => Row
}

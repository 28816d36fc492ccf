// A programme may have several rows: the one in force; one that an import has prepared, and one that an import has replaced
// and that is soon removed. Each says from which import of its recipient it is in force, and until which. The recipient
// says which import is the last one in force: moving that number makes all programmes of an import visible at once.
// Versions count up, so at most one row of a programme that has come into force has a given version. What was prepared by
// an import that was killed may have that version, too, until the next import has removed it.
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'

/** The end of rows that nothing is to replace. */
export const forever = Number.MAX_SAFE_INTEGER

/** The last import in force, of a Portal that is a value or a column of the query. */
export function importInForce(portalId: string | Expression<unknown>): RawBuilder<number> {
  return sql<number>`(select import_number from recipients where recipients.portal_id = ${portalId})`
}

/** The condition that a row of `funding_programs` is in force. */
export function isInForce(portalId: string | Expression<unknown>): RawBuilder<SqlBool> {
  const number = importInForce(portalId)
  return sql<SqlBool>`(funding_programs.from_import <= ${number} and funding_programs.until_import > ${number})`
}

/** The condition that a row of `funding_programs` is in force, or was and is soon removed. */
export function hasComeIntoForce(portalId: string | Expression<unknown>): RawBuilder<SqlBool> {
  return sql<SqlBool>`funding_programs.from_import <= ${importInForce(portalId)}`
}

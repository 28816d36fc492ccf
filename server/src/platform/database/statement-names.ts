// What a statement does, in two words: `select businesses`. Nothing of its values can be in them.

interface StatementName {
  operation: string
  table: string | undefined
}

export function statementName(sql: string): StatementName {
  let name = names.get(sql)
  if (!name) {
    if (names.size >= mostNames) names.clear()
    // The first table is enough to know a statement by; a common table expression may come before it.
    const operation = /^\s*(?:with\b[\s\S]*?\)\s*(?=select|insert|update|delete))?([a-z]+)/i.exec(
      sql.slice(0, mostRead),
    )?.[1]
    const table = /\b(?:from|into|update)\s+"?([a-z_]+)"?/i.exec(sql.slice(0, mostRead))?.[1]
    name = { operation: (operation ?? 'statement').toLowerCase(), table: table?.toLowerCase() }
    names.set(sql, name)
  }
  return name
}

const names = new Map<string, StatementName>()
const mostNames = 1000
const mostRead = 4000

/** How much an Accept header wants a type, 0 to 1; the most specific range decides, and no header wants everything. */
export function qualityOf(accept: string | undefined, type: string): number {
  if (accept === undefined || accept === '' || accept === '*/*') return 1
  const group = `${type.split('/')[0]}/*`
  let quality = 0
  let precision = 0
  // Range by range without a list of them: a header may consist of nothing but commas.
  for (let start = 0; start <= accept.length; ) {
    const comma = accept.indexOf(',', start)
    const end = comma === -1 ? accept.length : comma
    const [name, parameters] = cutAt(accept.slice(start, end), ';')
    start = end + 1
    const rank = name === type ? 3 : name === group ? 2 : name === '*/*' ? 1 : 0
    if (rank <= precision) continue
    precision = rank
    quality = weightOf(parameters)
  }
  return quality
}

/** A weight that cannot be read counts as none. */
function weightOf(parameters: string): number {
  for (let rest = parameters; rest !== ''; ) {
    const [parameter, others] = cutAt(rest, ';')
    if (parameter.startsWith('q=')) {
      const number = Number(parameter.slice(2))
      return Number.isNaN(number) ? 1 : number
    }
    rest = others
  }
  return 1
}

/** What stands before a sign, tidied, and what stands behind it. */
function cutAt(text: string, sign: string): [before: string, behind: string] {
  const at = text.indexOf(sign)
  const before = at === -1 ? text : text.slice(0, at)
  return [before.trim().toLowerCase(), at === -1 ? '' : text.slice(at + 1)]
}

export function acceptsJson(accept: string | undefined): boolean {
  return (
    qualityOf(accept, json) > 0 ||
    (accept?.toLowerCase().includes(problemJson) && qualityOf(accept, problemJson) > 0) ||
    false
  )
}

/** Errors have the same bytes under both names; a caller that likes the second better gets it. */
export function errorType(accept: string | undefined): string {
  return qualityOf(accept, problemJson) > qualityOf(accept, json)
    ? `${problemJson}; charset=utf-8`
    : `${json}; charset=utf-8`
}

/** Whether a Content-Type is JSON in UTF-8. */
export function isJsonType(type: string): boolean {
  return jsonType.test(type)
}

const jsonType = /^application\/json\s*(;\s*(charset="?utf-8"?\s*)?)?$/i
const json = 'application/json'
const problemJson = 'application/problem+json'

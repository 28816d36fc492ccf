/** How much an Accept header wants a type, 0 to 1; the most specific range decides, and no header wants everything. */
export function qualityOf(accept: string | undefined, type: string): number {
  if (accept === undefined || accept === '' || accept === '*/*') return 1
  const group = `${type.split('/')[0]}/*`
  let quality = 0
  let precision = 0
  for (const range of accept.split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const rank = name === type ? 3 : name === group ? 2 : name === '*/*' ? 1 : 0
    if (rank <= precision) continue
    precision = rank
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    // A weight that cannot be read counts as none.
    const number = Number(weight?.slice(2) ?? 1)
    quality = Number.isNaN(number) ? 1 : number
  }
  return quality
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

const json = 'application/json'
const problemJson = 'application/problem+json'

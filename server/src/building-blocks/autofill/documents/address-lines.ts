/** An address that begins on the label's line or below it, joined into one line; '' when there is none. */
export function addressBelow(
  first: string,
  following: readonly (readonly string[])[],
  position: number,
  isLabel: (text: string) => boolean,
): string {
  const parts = first === '' ? [] : [trimmed(first)]
  for (const cells of following) {
    const last = parts.at(-1)
    if (parts.length >= 6) break
    const part = cells.length > position ? cells[position] : cells[0]
    if (part === undefined) {
      // An empty line between label and address is layout; after the first part it is the end.
      if (last === undefined) continue
      break
    }
    const isCountry = countries.has(part.toLowerCase().replaceAll('.', ''))
    if (last !== undefined && endsWithPostcode(last) && !isCountry) break
    if (isLabel(part) || part.includes(':') || part.length > 80 || /[$£€@%]/.test(part)) break
    parts.push(trimmed(part))
    if (isCountry) break
  }
  return parts.join(', ')
}

function endsWithPostcode(line: string): boolean {
  const end = line.slice(-12)
  return (
    /\d{5}(-\d{4})?$/.test(end) || /[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}$/.test(end) || /[A-Z]\d[A-Z] ?\d[A-Z]\d$/.test(end)
  )
}

function trimmed(part: string): string {
  return part.replace(/[\s,;]+$/, '')
}

const countries = new Set(
  'united kingdom,uk,england,scotland,wales,northern ireland,ireland,united states,united states of america,usa,us,canada,australia'.split(
    ',',
  ),
)

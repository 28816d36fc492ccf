/** The lines of a cell as one text: those of an address stay apart. */
export function textOfCell(lines: readonly string[], isValue: boolean): string {
  if (isValue && holdsAddress(lines)) return lines.join(', ').replaceAll(',,', ',')
  // `Quintero-` and `Haye` are one word.
  return lines.reduce((text, line) =>
    /\p{L}-$/u.test(text) && /^\p{Lu}/u.test(line) ? text + line : `${text} ${line}`,
  )
}

/** Short lines of which one after the first has a number and a word; with commas in them, they were broken by chance. */
export function holdsAddress(lines: readonly string[]): boolean {
  const isShort = lines.every((line) => line.length <= longestLine)
  return isShort && lines.slice(1).some((line) => /\d/.test(line) && /\p{L}/u.test(line))
}

const longestLine = 50

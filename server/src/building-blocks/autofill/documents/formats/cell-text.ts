/** The lines of a cell as one text: those of an address stay apart. */
export function textOfCell(lines: readonly string[], isValue: boolean): string {
  const between = isValue && holdsAddress(lines) ? ', ' : ' '
  return lines.reduce((text, line) => {
    if (isOneWord(text, line)) return text + line
    return `${text}${text.endsWith(',') || isOnePostcode(text, line) ? ' ' : between}${line}`
  })
}

/** Short lines of which one after the first has a number and a word. */
export function holdsAddress(lines: readonly string[]): boolean {
  const isShort = lines.every((line) => line.length <= longestLine)
  return isShort && lines.slice(1).some((line) => /\d/.test(line) && /\p{L}/u.test(line))
}

const longestLine = 50

/** `Quintero-` and `Haye`, `www.best-bread.exam` and `ple`. */
function isOneWord(text: string, line: string): boolean {
  if (/\p{L}-$/u.test(text) && /^\p{Lu}/u.test(line)) return true
  const end = text.slice(-80)
  return /(?:^|\s)(?:www\.|https?:\/\/|[\w.+-]+@)\S*$/i.test(end) && /^[a-z\d./-]+$/.test(line)
}

/** `NR2` and `9DT` */
function isOnePostcode(text: string, line: string): boolean {
  return /[A-Z]{1,2}\d[A-Z\d]?$/.test(text.slice(-8)) && /^\d[A-Z]{2}\b/.test(line)
}

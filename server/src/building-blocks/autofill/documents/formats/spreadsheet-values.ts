/** What a number in a cell stands for, by its number format. */
export type NumberKind = 'number' | 'percent' | 'date' | 'month' | 'time' | 'date_time'

/** The formats a workbook may use without saying them: 9 and 10 are percentages, 14 to 22 and 45 to 47 dates and times. */
export function kindOfBuiltIn(id: number): NumberKind {
  if (id === 9 || id === 10) return 'percent'
  if (id === 17) return 'month'
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || (id >= 34 && id <= 36) || (id >= 50 && id <= 58))
    return 'date'
  if ((id >= 18 && id <= 21) || (id >= 32 && id <= 33) || (id >= 45 && id <= 47)) return 'time'
  return id === 22 ? 'date_time' : 'number'
}

export function kindOfFormat(code: string): NumberKind {
  // Quoted words, escaped letters and [colours or conditions] are decoration; only the form for positive numbers counts.
  const [bare = ''] = code
    .slice(0, 500)
    .replace(/"[^"]*"|\\.|\[[^\]]*\]|_./g, '')
    .toLowerCase()
    .split(';')
  if (bare.includes('general')) return 'number'
  const hasDate = /[yd]/.test(bare)
  const hasTime = /[hs]/.test(bare)
  if (hasDate && !hasTime && !bare.includes('d') && bare.includes('m')) return 'month'
  if (hasDate) return hasTime ? 'date_time' : 'date'
  if (hasTime) return 'time'
  // A lone m is a month.
  if (bare.includes('m') && !bare.includes('0')) return 'date'
  return bare.includes('%') ? 'percent' : 'number'
}

export function numberText(raw: string, kind: NumberKind, isFrom1904: boolean): string {
  const value = Number(raw)
  if (raw.trim() === '' || !Number.isFinite(value)) return raw
  if (kind === 'percent') return `${plain(value * 100)}%`
  if (kind === 'number') return plain(value)
  const milliseconds = millisecondsOf(value, isFrom1904)
  if (milliseconds === undefined) return plain(value)
  const iso = new Date(milliseconds).toISOString()
  const [day, time] = [iso.slice(0, 10), iso.slice(11, 16)]
  if (kind === 'month') return day.slice(0, 7)
  return kind === 'date' ? day : kind === 'time' ? time : `${day} ${time}`
}

/** Fifteen digits are what a cell really knows: 0.1 + 0.2 is shown as 0.3. */
function plain(value: number): string {
  const text = String(Number(value.toPrecision(15)))
  return text.includes('e') ? value.toFixed(0) : text
}

const dayMs = 86_400_000
const lastSerial = 2_958_466

function millisecondsOf(serial: number, isFrom1904: boolean): number | undefined {
  const days = isFrom1904 ? serial + 1462 : serial
  if (days < 0 || days > lastSerial) return undefined
  // Spreadsheets believe in 29 February 1900; the days before it are one off.
  return Math.round((days < 60 ? days + 1 : days) * dayMs - 25_569 * dayMs)
}

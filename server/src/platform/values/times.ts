// Dates and times that both engines and JavaScript can hold: the years 1 to 9999, in the calendar, without leap seconds.

export function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < '0001') return false
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))]
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = month === 2 && isLeap ? 29 : (daysOfMonths[month - 1] ?? 0)
  return day >= 1 && day <= days
}

const daysOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** RFC 3339. The offset counts: the same moment in UTC must be within the years, too. */
export function isTime(text: string): boolean {
  const date = timeForm.exec(text)?.[1]
  if (date === undefined || !isDate(date)) return false
  const instant = Date.parse(text)
  return instant >= earliest && instant <= latest
}

/** The moment, or the nearest that is within the years. */
export function withinYears(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, earliest), latest)
}

/** The IANA name of a time zone. */
export function isTimeZone(text: string): boolean {
  if (!zoneForm.test(text)) return false
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions()
    // Case counts: other systems do not find `europe/berlin`. An alias such as Asia/Kolkata resolves to another name.
    return timeZone === text || timeZone.toLowerCase() !== text.toLowerCase()
  } catch {
    return false // RangeError: there is no such time zone
  }
}

/** The date it is at this moment in a time zone. */
export function dateIn(timeZone: string, milliseconds: number): string {
  return new Date(milliseconds + offsetAt(timeZone, milliseconds)).toISOString().slice(0, 10)
}

/** The moment at which a date has passed in a time zone: the next one begins there. */
export function endOfDateIn(timeZone: string, date: string): number {
  const midnight = Date.parse(`${date}T00:00:00Z`) + dayMs
  if (midnight > latest - dayMs) return latest
  // The offset of a zone depends on the moment that is looked for: near a change of the clocks it takes a second look,
  // and where there is no midnight, the date ends at the later of the two.
  const first = midnight - offsetAt(timeZone, midnight)
  const second = midnight - offsetAt(timeZone, first)
  return [second, first, midnight + dayMs].find((at) => dateIn(timeZone, at) > date) ?? latest
}

/** Making one takes a hundred times as long as using it, and there are only so many time zones. */
const clocks = new Map<string, Intl.DateTimeFormat>()

function clockOf(timeZone: string): Intl.DateTimeFormat {
  let clock = clocks.get(timeZone)
  if (!clock) {
    const date = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
    const time = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
    clock = new Intl.DateTimeFormat('en-CA', { timeZone, hourCycle: 'h23', ...date, ...time })
    clocks.set(timeZone, clock)
  }
  return clock
}

/** How far the clocks of a time zone are ahead of UTC at a moment. */
function offsetAt(timeZone: string, milliseconds: number): number {
  const parts = new Map(
    clockOf(timeZone)
      .formatToParts(milliseconds)
      .map(({ type, value }) => [type, value]),
  )
  const [date, time] = [
    `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`,
    `${parts.get('hour')}:${parts.get('minute')}:${parts.get('second')}`,
  ]
  return Date.parse(`${date}T${time}Z`) - Math.floor(milliseconds / 1000) * 1000
}

const dayMs = 86_400_000
const zoneForm = /^[A-Z][A-Za-z0-9_+/-]{1,63}$/
const timeForm = /^(\d{4}-\d\d-\d\d)[Tt ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/
const earliest = Date.parse('0001-01-01T00:00:00.000Z')
const latest = Date.parse('9999-12-31T23:59:59.999Z')

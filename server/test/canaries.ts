/** Texts that stand nowhere but in one field of one business. */
export function newCanaries() {
  const given = new Map<string, string>()
  const base = Math.random().toString(36).slice(2, 7).padEnd(5, '0')
  return {
    given,
    /** A new one, remembered by the name of its field. */
    in(field: string): string {
      const text = `zq${base}${String(given.size).padStart(3, '0')}x`
      given.set(field, text)
      return text
    },
  }
}

export type Canaries = ReturnType<typeof newCanaries>

/** A number with its noun in the right form: `1 character`, `2 characters`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`
}

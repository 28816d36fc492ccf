export const ownName = 'portico'

/** Commands to run next, with the name by which the operator calls this program. */
export function asCalled(text: string, name: string): string {
  if (name === ownName) return text
  return text.replace(/(?<=[.:;] |^ +|[Rr]un |then |with |`)portico (?=[a-z])/gm, () => `${name} `)
}

/** What an error says, as part of a sentence of ours: without the full stop it may end in, because the sentence has one. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const text = error instanceof Error ? error.message || code : String(error)
  return text.trimEnd().replace(/\.{1,3}$/, '')
}

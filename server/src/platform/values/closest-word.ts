/** The word that was probably meant: one that begins the same way, or differs in few letters. */
export function closestWord(text: string, words: readonly string[]): string | undefined {
  const meant = words.find((word) => text.length >= 4 && (word.startsWith(text) || text.startsWith(word)))
  if (meant !== undefined) return meant
  const near = words
    .map((word) => ({ word, distance: editDistance(text, word) }))
    .sort((a, b) => a.distance - b.distance)[0]
  return near && near.distance <= Math.max(1, Math.floor(text.length / 4)) ? near.word : undefined
}

/** How many letters have to be added, removed or replaced. */
function editDistance(a: string, b: string): number {
  let before = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (before[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(replaced, (before[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    before = row
  }
  return before[b.length] ?? 0
}

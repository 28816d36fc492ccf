// The stages of reading ask the same of the same cell again and again: an answer is kept for as long as a document is read.

/** As many as the cells of a hundred pages: then they are forgotten, and asked anew. */
const mostKept = 20_000
/** What is longer is seldom asked about twice. */
const longestKept = 200

const everyone: { clear(): void }[] = []

/** The same function, which keeps its answers; nobody may change what it returns. */
export function remembered<Answer>(make: (text: string) => Answer): (text: string) => Answer {
  const kept = new Map<string, { answer: Answer }>()
  everyone.push(kept)
  return (text) => {
    const known = kept.get(text)
    if (known) return known.answer
    const answer = make(text)
    if (text.length > longestKept) return answer
    if (kept.size >= mostKept) kept.clear()
    kept.set(text, { answer })
    return answer
  }
}

/** Once a document is read: the next one costs what it would cost alone. What is asked outside of one stays until then. */
export function forgetAll(): void {
  for (const kept of everyone) kept.clear()
}

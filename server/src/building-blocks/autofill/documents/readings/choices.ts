// Boxes to tick: `☐ Partnership ☒ Limited company`, `[ ] LLC [X] S Corp`, `( ) yes (x) no`.
const box = String.raw`[☐□▢○◯❑❏⬜]|\[ ?\]|\( \)`
const tick = String.raw`[☒☑✓✔■●◉✗✘⬛🗹🗵]|\[[xX✓✔]\]|\([xX✓✔]\)`
const boxes = new RegExp(`(${tick})|(${box})`, 'gu')

/** Whether a text has boxes at all, ticked or not. */
export function hasBoxes(text: string): boolean {
  return text.search(boxes) !== -1
}

/** What stands behind the one ticked box; undefined when none or several are ticked. */
export function tickedIn(text: string): string | undefined {
  const marks = [...text.matchAll(boxes)]
  const ticked = marks.flatMap((mark, index) => (mark[1] === undefined ? [] : [index]))
  const [only] = ticked
  if (only === undefined || ticked.length > 1) return undefined
  const begin = (marks[only]?.index ?? 0) + (marks[only]?.[0].length ?? 0)
  const choice = text
    .slice(begin, marks[only + 1]?.index)
    .replace(/^[\s:.–-]+/, '')
    .replace(/[\s:;,(]+(?:\(?\d{1,2}\)?|[a-z]|\(?[a-z]\))?\s*$/i, (end) => (/[a-z]{2}/i.test(end) ? end : ''))
    .trim()
  return choice === '' ? undefined : choice
}

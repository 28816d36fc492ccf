// Boxes to tick: `☐ Partnership ☒ Limited company`, `[ ] LLC [X] S Corp`, `( ) yes (x) no`.
const box = String.raw`[☐□▢○◯❑❏⬜]|\[ ?\]|\( \)`
const tick = String.raw`[☒☑✓✔■●◉✗✘⬛🗹🗵]|\[[xX✓✔]\]|\([xX✓✔]\)`
const boxes = new RegExp(`(${tick})|(${box})`, 'gu')

/** Whether a text has boxes at all, ticked or not. */
export function hasBoxes(text: string): boolean {
  return text.search(boxes) !== -1
}

/** `● Hillside Estates Ltd`: one mark before a text is a bullet, not a box. */
export function isBulleted(text: string): boolean {
  return /^\s*[●■○✓✔]\s[^●■○✓✔☐☒☑[(]*$/u.test(text)
}

/** What stands behind the one ticked box; undefined when none or several are ticked. */
export function tickedIn(text: string): string | undefined {
  const marks = [...text.matchAll(boxes)]
  const ticked = marks.flatMap((mark, index) => (mark[1] === undefined ? [] : [index]))
  const [only] = ticked
  if (only === undefined || ticked.length > 1) return undefined
  const choice = besideMark(text, marks, only)
    .replace(/^[\s:.–-]+/, '')
    .trim()
    .replace(/[\s:;,(]{1,9}(?:\(?\d{1,2}\)?|[a-z]|\(?[a-z]\))?$/i, '')
  return choice === '' ? undefined : choice
}

/** Boxes stand before what they choose; where the last one ends the line, behind it. */
function besideMark(text: string, marks: readonly RegExpExecArray[], at: number): string {
  const endOf = (index: number) => (marks[index]?.index ?? 0) + (marks[index]?.[0].length ?? 0)
  const isBehind = marks.length > 1 && text.slice(endOf(marks.length - 1)).trim() === '' && marks[0]?.index !== 0
  return isBehind
    ? text.slice(at === 0 ? 0 : endOf(at - 1), marks[at]?.index)
    : text.slice(endOf(at), marks[at + 1]?.index)
}

// Figures as lines of one table: both sides, their ratio, and whether it holds.

export interface Line {
  figure: string
  measured: string
  engine: string
  /** What is judged, and what it is judged by. */
  ours: string
  theirs: string
  ratio: string
  hold: string
  holds: boolean
}

export interface Comparison {
  ours: number
  theirs: number
  /** Ours to theirs, the median of the rounds: what disturbs a whole round disturbs both sides of it. */
  ratio: number
  lowest: number
  highest: number
}

/** Measures both sides in turn, the other one first in every second round. */
export async function alternate(
  rounds: number,
  measureOurs: () => Promise<number>,
  measureTheirs: () => Promise<number>,
): Promise<Comparison> {
  const ours: number[] = []
  const theirs: number[] = []
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) ours.push(await measureOurs())
    theirs.push(await measureTheirs())
    if (round % 2 === 1) ours.push(await measureOurs())
    showProgress('  rounds', round + 1, rounds)
  }
  return compare(ours, theirs)
}

export function compare(ours: readonly number[], theirs: readonly number[]): Comparison {
  const ratios = ours.map((value, index) => value / (theirs[index] ?? Number.NaN))
  return {
    ours: median(ours),
    theirs: median(theirs),
    ratio: median(ratios),
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

export function showRatio({ ratio, lowest, highest }: Comparison): string {
  return `${ratio.toFixed(2)} (${lowest.toFixed(2)} to ${highest.toFixed(2)})`
}

export function showCount(value: number, unit: string): string {
  return `${Math.round(value).toLocaleString('en')} ${unit}`
}

export function toMarkdown(lines: readonly Line[]): string {
  const heading = ['Figure', 'Measured', 'Engine', 'Portico', 'Compared with', 'Ratio (rounds)', 'Hold', 'Holds']
  const rows = lines.map(({ figure, measured, engine, ours, theirs, ratio, hold, holds }) => [
    ...[figure, measured, engine, ours, theirs, ratio, hold],
    holds ? 'yes' : '**no**',
  ])
  return [heading, heading.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** One line that fills up on a terminal, a line for each tenth elsewhere. */
export function showProgress(label: string, done: number, total: number): void {
  const percent = Math.floor((done / total) * 100)
  if (process.stderr.isTTY) process.stderr.write(`\r${label} ${percent} %${done >= total ? '\n' : ''}`)
  else if (Math.floor(((done - 1) / total) * 10) < Math.floor((done / total) * 10) || total <= 10)
    process.stderr.write(`${label} ${percent} %\n`)
}

export function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

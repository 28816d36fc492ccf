// The states of a record as a picture and as a table, both read from the table that decides. In the picture every state
// is a column and every action an arrow from one column to another, a row each: it stays readable however many there are.
import type { StateMachine } from '../platform/protocol/states.ts'

interface Arrow {
  from: string
  action: string
  to: string | undefined
  /** What happens by itself and what nobody else does. */
  isAutomatic: boolean
  /** Who takes it, in brackets; empty where a record has one party. */
  who: string
}

/** One arrow for each action of a state, whoever takes it. */
function arrowsOf({ transitions }: StateMachine): Arrow[] {
  const hasParties = new Set(transitions.map(({ by }) => by).filter((by) => by !== 'job')).size > 1
  const arrows = new Map<string, { from: string; action: string; to: string | undefined; parties: string[] }>()
  for (const { from, action, to, by } of transitions) {
    const name = `${from} ${action}`
    const { parties = [] } = arrows.get(name) ?? {}
    arrows.set(name, { from, action, to, parties: [...parties, by] })
  }
  return [...arrows.values()].map(({ parties, ...arrow }) => {
    const isAutomatic = parties.every((party) => party === 'job')
    const names = parties.map((party) => (party === 'job' ? 'automatic' : party))
    return { ...arrow, isAutomatic, who: isAutomatic || hasParties ? ` (${names.join(' or ')})` : '' }
  })
}

/** The states as a Markdown table: what each action leads to. */
export function stateTable(machine: StateMachine): string {
  const arrows = arrowsOf(machine)
  const rows = machine.states.map((state) => {
    const words = arrows
      .filter(({ from }) => from === state)
      .map(({ action, to, isAutomatic, who }) => {
        const next = to === undefined ? '' : ` → \`${to}\``
        return `${isAutomatic ? inWords(action) : `\`${action}\``}${who}${next}`
      })
    return `| \`${state}\` | ${words.join('; ') || 'none'} |`
  })
  return ['| State | Actions |', '|---|---|', ...rows].join('\n')
}

const row = 34
const margin = 16
/** Many states stand closer together, with their names upright: an action may be wider than its arrow. */
const wide = { column: 150, width: 134, height: 34, turn: 0 }
const narrow = { column: 66, width: 30, height: 164, turn: -90 }
const mostWide = 6

/** An SVG file of its own: light or dark as the reader's page is. */
export function stateDiagram(machine: StateMachine): string {
  const { states, beginnings, noun } = machine
  const { column, turn, ...head } = states.length > mostWide ? narrow : wide
  const steps = arrowsOf(machine).flatMap(({ to, ...step }) => (to === undefined ? [] : [{ ...step, to }]))
  // The actions of the outermost states need room on both sides.
  const side = margin + (turn === 0 ? 0 : column)
  const xOf = (state: string) => side + states.indexOf(state) * column + head.width / 2
  const yOf = (index: number) => margin + head.height + row * (index + 1)
  const width = side * 2 + (states.length - 1) * column + head.width
  const height = yOf(steps.length - 1) + row / 2 + margin
  const isEnd = (state: string) => !steps.some(({ from }) => from === state)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="States of the ${noun}">`,
    `<style>${style}</style>`,
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="head" d="M0 0 8 4 0 8z"/></marker></defs>',
    ...states.map((state) => {
      const x = xOf(state)
      const kind = beginnings.includes(state) ? 'state first' : 'state'
      const box = `x="${x - head.width / 2}" y="${margin}" width="${head.width}" height="${head.height}"`
      return [
        `<line class="column" x1="${x}" y1="${margin + head.height}" x2="${x}" y2="${height - margin}"/>`,
        `<rect class="${kind}" ${box} rx="${isEnd(state) ? Math.min(head.width, head.height) / 2 : 6}"/>`,
        turn === 0
          ? `<text x="${x}" y="${margin + head.height / 2 + 4}">${state}</text>`
          : `<text transform="translate(${x + 4} ${margin + head.height / 2}) rotate(${turn})">${state}</text>`,
      ].join('')
    }),
    ...steps.map(({ from, to, action, isAutomatic, who }, index) => {
      const [start, end, y] = [xOf(from), xOf(to), yOf(index)]
      const kind = isAutomatic ? ' class="automatic"' : ''
      return [
        `<circle cx="${start}" cy="${y}" r="3"/>`,
        `<line${kind} x1="${start}" y1="${y}" x2="${end}" y2="${y}" marker-end="url(#head)"/>`,
        `<text class="action" x="${(start + end) / 2}" y="${y - 6}">${inWords(action)}${isAutomatic ? '' : who}</text>`,
      ].join('')
    }),
    '</svg>',
    '',
  ].join('\n')
}

function inWords(name: string): string {
  return name.replaceAll('_', ' ')
}

const style = `:root{color:#1c2b2b;--paper:#fff;--accent:#0b6e6e;--soft:#c4d0d0}
@media(prefers-color-scheme:dark){:root{color:#dce6e6;--paper:#16201f;--accent:#5cc8c8;--soft:#3b4a49}}
svg{background:var(--paper)}
text{font:13px system-ui,sans-serif;text-anchor:middle;fill:currentColor}
.action{font-size:12px;fill:var(--accent);paint-order:stroke;stroke:var(--paper);stroke-width:4px}
line{stroke:currentColor;stroke-width:1.3}
.column{stroke:var(--soft);stroke-dasharray:2 3}
.automatic{stroke-dasharray:6 4}
.head,circle{fill:currentColor}
.state{fill:var(--paper);stroke:currentColor;stroke-width:1.2}
.first{stroke:var(--accent);stroke-width:2.5}`

// The states of a record as a picture and as a table, both read from the table that decides. The picture is a plain SVG
// file: columns by how many steps a state is away from the first one, actions written on their arrows.
import type { StateMachine } from '../platform/protocol/states.ts'

/** The states as a Markdown table: what each action leads to, and who may take it. */
export function stateTable({ states, transitions }: StateMachine): string {
  const rows = states.map((state) => {
    const steps = transitions.filter(({ from }) => from === state)
    const words = steps.map(({ action, to, by }) => {
      const next = to === undefined ? '' : ` → \`${to}\``
      return by === 'job' ? `by itself${next}` : `\`${action}\`${next}`
    })
    return `| \`${state}\` | ${words.join('; ') || 'none'} |`
  })
  return ['| State | Actions |', '|---|---|', ...rows].join('\n')
}

const box = { width: 150, height: 40 }
const gap = { x: 130, y: 46 }
const margin = { x: 20, y: 50 }

interface Place {
  state: string
  column: number
  x: number
  y: number
}

export function stateDiagram(machine: StateMachine): string {
  const places = layOut(machine)
  const at = (state: string) => places.find((place) => place.state === state) ?? expectPlace(state)
  const arrows = arrowsOf(machine).map((arrow, index) => drawArrow(arrow, at(arrow.from), at(arrow.to), index))
  const width = Math.max(...places.map(({ x }) => x)) + box.width + margin.x
  const lowest = Math.max(...places.map(({ y }) => y), ...arrows.map(({ bottom }) => bottom))
  const height = lowest + box.height + 20
  const isEnd = (state: string) => !machine.transitions.some(({ from, to }) => from === state && to !== undefined)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="States of the ${machine.noun}">`,
    `<style>${style}</style>`,
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path class="head" d="M0 0 8 4 0 8z"/></marker></defs>',
    ...arrows.map(({ line }) => line),
    ...places.map((place) => drawState(place, isEnd(place.state), place.state === machine.initial)),
    ...arrows.map(({ label }) => label),
    '</svg>',
    '',
  ].join('\n')
}

function expectPlace(state: string): never {
  throw new Error(`no way leads to the state ${state}`)
}

/** Columns by the number of steps from the first state, rows in the order of the table. */
function layOut({ initial, states, transitions }: StateMachine): Place[] {
  const columns = new Map([[initial, 0]])
  for (const [state, column] of columns)
    for (const { from, to } of transitions)
      if (from === state && to !== undefined && !columns.has(to)) columns.set(to, column + 1)
  const heights = new Map<number, number>()
  const counts = new Map<number, number>()
  for (const column of columns.values()) counts.set(column, (counts.get(column) ?? 0) + 1)
  const most = Math.max(...counts.values())
  return states.flatMap((state) => {
    const column = columns.get(state)
    if (column === undefined) return []
    const row = heights.get(column) ?? 0
    heights.set(column, row + 1)
    const shift = ((most - (counts.get(column) ?? 1)) / 2) * (box.height + gap.y)
    return [
      {
        state,
        column,
        x: margin.x + column * (box.width + gap.x),
        y: margin.y + shift + row * (box.height + gap.y),
      },
    ]
  })
}

interface Arrow {
  from: string
  to: string
  words: string[]
  isByItself: boolean
}

/** One arrow for all actions that lead from one state to another. */
function arrowsOf({ transitions }: StateMachine): Arrow[] {
  const arrows = new Map<string, Arrow>()
  for (const { from, to, action, by } of transitions) {
    if (to === undefined || to === from) continue
    const known = arrows.get(`${from} ${to}`) ?? { from, to, words: [], isByItself: true }
    known.words.push(action.replaceAll('_', ' '))
    known.isByItself &&= by === 'job'
    arrows.set(`${from} ${to}`, known)
  }
  return [...arrows.values()]
}

function drawArrow({ words, isByItself }: Arrow, from: Place, to: Place, index: number) {
  const middle = (place: Place) => place.y + box.height / 2
  const isForward = to.column > from.column
  const start = { x: from.x + (isForward ? box.width : 0), y: middle(from) }
  const end = { x: to.x + (isForward ? 0 : box.width), y: middle(to) }
  let path: string
  let label: { x: number; y: number }
  if (to.column === from.column) {
    // A loop beside the column.
    const out = from.x + box.width + 40
    path = `M${from.x + box.width} ${start.y} C${out} ${start.y} ${out} ${end.y} ${from.x + box.width} ${end.y}`
    label = { x: out - 10, y: (start.y + end.y) / 2 }
  } else {
    // Arrows that share an end fan out, so that their words do not cover each other.
    const lift = isForward ? 0 : 10 + (index % 3) * 6
    start.y += lift
    end.y += lift
    const bend = (end.x - start.x) / 2
    path = `M${start.x} ${start.y} C${start.x + bend} ${start.y} ${end.x - bend} ${end.y} ${end.x} ${end.y}`
    const share = isForward ? 0.42 : 0.62
    label = pointOn(start, end, bend, share)
  }
  const kind = isByItself ? ' class="itself"' : ''
  const text = escape(words.join(', '))
  return {
    line: `<path${kind} d="${path}" marker-end="url(#head)"/>`,
    label: `<text class="action" x="${Math.round(label.x)}" y="${Math.round(label.y) + 4}">${text}</text>`,
    bottom: Math.max(start.y, end.y),
  }
}

/** A point of the curve, a share of the way along it. */
function pointOn(start: { x: number; y: number }, end: { x: number; y: number }, bend: number, t: number) {
  const weights = [(1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t ** 2, t ** 3] as const
  const sum = (values: readonly [number, number, number, number]) =>
    values.reduce((total, value, index) => total + value * (weights[index] ?? 0), 0)
  return {
    x: sum([start.x, start.x + bend, end.x - bend, end.x]),
    y: sum([start.y, start.y, end.y, end.y]),
  }
}

function drawState({ state, x, y }: Place, isEnd: boolean, isFirst: boolean): string {
  const kind = isFirst ? 'state first' : isEnd ? 'state end' : 'state'
  return [
    `<rect class="${kind}" x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="${isEnd ? 20 : 8}"/>`,
    `<text x="${x + box.width / 2}" y="${y + box.height / 2 + 5}">${escape(state)}</text>`,
  ].join('')
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

const style = `:root{color:#1c2b2b;--paper:#fff;--accent:#0b6e6e}
@media(prefers-color-scheme:dark){:root{color:#dce6e6;--paper:#16201f;--accent:#5cc8c8}}
text{font:13px system-ui,sans-serif;text-anchor:middle;fill:currentColor}
.action{font-size:12px;fill:var(--accent);paint-order:stroke;stroke:var(--paper);stroke-width:5px}
path{fill:none;stroke:currentColor;stroke-width:1.2}
.itself{stroke-dasharray:5 4}
.head{fill:currentColor;stroke:none}
.state{fill:var(--paper);stroke:currentColor;stroke-width:1.2}
.first{stroke:var(--accent);stroke-width:2.5}`

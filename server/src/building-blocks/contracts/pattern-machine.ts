// Runs a pattern's program over a text: all places it can be at, side by side, in arrays that are made once. A text of n
// characters takes at most n times the steps of the program, and none of them makes anything new.
export type Range = readonly [from: number, to: number]

export type Instruction =
  | { kind: 'characters'; ranges: readonly Range[]; isNegated: boolean }
  | { kind: 'fork'; first: number; second: number }
  | { kind: 'jump'; to: number }
  | { kind: 'start' | 'end' | 'match' }

const codes = { characters: 0, fork: 1, jump: 2, start: 3, end: 4, match: 5 } as const

export function createMachine(program: readonly Instruction[]): (text: string) => boolean {
  const size = program.length
  const kinds = Uint8Array.from(program, ({ kind }) => codes[kind])
  const first = Int32Array.from(program, (step) =>
    step.kind === 'fork' ? step.first : step.kind === 'jump' ? step.to : 0,
  )
  const second = Int32Array.from(program, (step) => (step.kind === 'fork' ? step.second : 0))
  const { classes, classOf } = classesOf(program)
  // What holds for the character at hand is worked out once for each class of characters.
  const known = new Uint8Array(classes.length)

  const open = new Int32Array(2 * size + 2)
  const marks = new Uint32Array(size)
  let here = new Int32Array(size)
  let ahead = new Int32Array(size)
  let round = 0
  let count = 0

  /** Adds the places with characters that can be reached from one; true when the end of the pattern is among them. */
  const reach = (from: number, list: Int32Array, isStart: boolean, isEnd: boolean): boolean => {
    let top = 0
    open[top++] = from
    while (top > 0) {
      const place = open[--top] ?? 0
      if (marks[place] === round) continue
      marks[place] = round
      const kind = kinds[place]
      if (kind === codes.match) return true
      if (kind === codes.characters) list[count++] = place
      else if (kind === codes.jump) open[top++] = first[place] ?? 0
      else if (kind === codes.fork) {
        open[top++] = second[place] ?? 0
        open[top++] = first[place] ?? 0
      } else if (kind === codes.start ? isStart : isEnd) open[top++] = place + 1
    }
    return false
  }
  const nextRound = () => {
    if (round === 0xffff_ffff) {
      marks.fill(0)
      round = 0
    }
    round++
  }

  return (text) => {
    nextRound()
    count = 0
    for (let at = 0; ; ) {
      // The pattern may also begin here.
      if (reach(0, here, at === 0, at === text.length)) return true
      const code = text.codePointAt(at)
      if (code === undefined) return false
      at += code > 0xffff ? 2 : 1
      known.fill(0)
      nextRound()
      const places = count
      count = 0
      for (let i = 0; i < places; i++) {
        const place = here[i] ?? 0
        const which = classOf[place] ?? 0
        if (known[which] === 0) known[which] = classes[which]?.(code) ? 2 : 1
        if (known[which] === 2 && reach(place + 1, ahead, false, at === text.length)) return true
      }
      const spare = here
      here = ahead
      ahead = spare
    }
  }
}

/** The classes of characters in a program, each once, and which one stands at each place. */
function classesOf(program: readonly Instruction[]) {
  const classes: ((code: number) => boolean)[] = []
  const names = new Map<string, number>()
  const classOf = Int32Array.from(program, (step) => {
    if (step.kind !== 'characters') return 0
    const name = JSON.stringify([step.isNegated, step.ranges])
    let index = names.get(name)
    if (index === undefined) {
      index = classes.push(memberTest(step)) - 1
      names.set(name, index)
    }
    return index
  })
  return { classes, classOf }
}

function memberTest({ ranges, isNegated }: { ranges: readonly Range[]; isNegated: boolean }) {
  const isMember = (code: number) => ranges.some(([from, to]) => code >= from && code <= to) !== isNegated
  const latin = Uint8Array.from({ length: 256 }, (_, code) => (isMember(code) ? 1 : 0))
  return (code: number) => (code < 256 ? latin[code] === 1 : isMember(code))
}

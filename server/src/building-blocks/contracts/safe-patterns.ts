// Patterns that Portals write, matched in time that grows evenly with the text, whatever the pattern: all ways through
// it are followed side by side, one character at a time, and none is ever tried again. Understood is that part of
// JavaScript's syntax (with the u flag) which this can be done for, and it means the same there; the rest is refused.
//   pattern → tree (parse) → program (emit) → set of places in the program after each character (test)

import { createMachine, type Instruction, type Range } from './pattern-machine.ts'

export class PatternError extends Error {
  constructor(
    message: string,
    readonly position: number,
  ) {
    super(`The pattern is not valid at character ${position + 1}: ${message}`)
  }
}

export interface SafePattern {
  /** Whether the pattern fits anywhere in the text, as JSON Schema's `pattern` has it. */
  test(text: string): boolean
  readonly program: readonly Instruction[]
}

export function compilePattern(source: string): SafePattern {
  const program: Instruction[] = []
  emit(parse(source), program)
  program.push({ kind: 'match' })
  // Made when it is first needed: most patterns are only ever checked.
  let test: ((text: string) => boolean) | undefined
  return {
    program,
    test(text) {
      test ??= createMachine(program)
      return test(text)
    },
  }
}

type Tree =
  | { kind: 'characters'; ranges: readonly Range[]; isNegated: boolean }
  | { kind: 'sequence' | 'choice'; parts: readonly Tree[] }
  | { kind: 'repeat'; part: Tree; minimum: number; maximum: number }
  | { kind: 'start' | 'end' }

function parse(source: string): Tree {
  const text = Array.from(source)
  let at = 0
  let depth = 0
  const fail = (message: string, position = at): never => {
    throw new PatternError(message, position)
  }

  const choice = (): Tree => {
    const parts = [sequence()]
    while (text[at] === '|') {
      at++
      parts.push(sequence())
    }
    return parts.length === 1 && parts[0] ? parts[0] : { kind: 'choice', parts }
  }

  const sequence = (): Tree => {
    const parts: Tree[] = []
    while (at < text.length && text[at] !== '|' && text[at] !== ')') parts.push(repeated())
    return { kind: 'sequence', parts }
  }

  const repeated = (): Tree => {
    const start = at
    const part = single()
    const counts = quantifier()
    if (!counts) return part
    if (part.kind === 'start' || part.kind === 'end') fail('^ and $ must not be repeated', start)
    // A lazy quantifier finds the same texts.
    if (text[at] === '?') at++
    return { kind: 'repeat', part, ...counts }
  }

  const quantifier = (): { minimum: number; maximum: number } | undefined => {
    const c = text[at]
    if (c === '*' || c === '+' || c === '?') {
      at++
      return { minimum: c === '+' ? 1 : 0, maximum: c === '?' ? 1 : Number.POSITIVE_INFINITY }
    }
    if (c !== '{') return undefined
    const match = /^\{(\d{1,4})(,(\d{1,4})?)?\}/.exec(text.slice(at, at + 12).join(''))
    if (!match) return fail('{ must begin a count such as {2,5}. To match the character itself, write \\ before it')
    const minimum = Number(match[1])
    const maximum = match[2] === undefined ? minimum : match[3] === undefined ? Infinity : Number(match[3])
    if (minimum > maximum) fail('the first number of a count must not be greater than the second')
    at += match[0].length
    return { minimum, maximum }
  }

  const single = (): Tree => {
    const start = at
    const c = text[at++] ?? ''
    switch (c) {
      case '(': {
        if (text[at] === '?') {
          if (text[at + 1] !== ':') fail('a group that begins with (? must be a (?: group', start)
          at += 2
        }
        if (++depth > maximumDepth) fail(`groups must be nested at most ${maximumDepth} levels deep`, start)
        const inner = choice()
        if (text[at] !== ')') fail('this group has no closing parenthesis', start)
        at++
        depth--
        return inner
      }
      case '[':
        return characterClass(start)
      case '.':
        return { kind: 'characters', ranges: lineEnds, isNegated: true }
      case '^':
        return { kind: 'start' }
      case '$':
        return { kind: 'end' }
      case '\\':
        return escaped(start)
      case '*':
      case '+':
      case '?':
      case '{':
      case '}':
      case ']':
        return fail(`${c} has no meaning here. To match the character itself, write \\ before it`, start)
      default:
        return one(c)
    }
  }

  const characterClass = (start: number): Tree => {
    const isNegated = text[at] === '^'
    if (isNegated) at++
    const ranges: Range[] = []
    while (text[at] !== ']') {
      if (at >= text.length) fail('this character class has no closing bracket', start)
      const from = classMember()
      if (text[at] === '-' && text[at + 1] !== ']' && at + 1 < text.length) {
        const place = at++
        const to = classMember()
        const [low, high] = [from[0], to[0]]
        if (from.length > 1 || to.length > 1 || low?.[0] !== low?.[1] || high?.[0] !== high?.[1] || !low || !high)
          return fail('both ends of a range must be single characters', place)
        if (low[0] > high[0]) fail('the first character of a range must not come after the second', place)
        ranges.push([low[0], high[0]])
      } else ranges.push(...from)
    }
    at++
    return { kind: 'characters', ranges: merged(ranges), isNegated }
  }

  const classMember = (): readonly Range[] => {
    const start = at
    const c = text[at++] ?? ''
    if (c !== '\\') return one(c).ranges
    if (text[at] === '-') return one(text[at++] ?? '').ranges
    const { ranges, isNegated } = escaped(start)
    return isNegated ? complement(ranges) : ranges
  }

  const escaped = (start: number): Tree & { kind: 'characters' } => {
    const c = text[at++]
    if (c === undefined) return fail('\\ must not be the last character', start)
    const named = sets[c.toLowerCase()]
    if (named) return { kind: 'characters', ranges: named, isNegated: c !== c.toLowerCase() }
    const control = controls[c]
    if (control !== undefined) return one(control)
    if (c === 'u') {
      const rest = text.slice(at, at + 10).join('')
      const code = /^([0-9a-fA-F]{4})/.exec(rest) ?? /^\{([0-9a-fA-F]{1,6})\}/.exec(rest)
      const value = Number.parseInt(code?.[1] ?? '', 16)
      if (!code || value > 0x10ffff)
        return fail('\\u must be followed by four hexadecimal digits, or by a character code in braces', start)
      if (value >= 0xd800 && value <= 0xdfff)
        return fail('a character code must not be half of a surrogate pair', start)
      at += code[0].length
      return one(String.fromCodePoint(value))
    }
    if (!'^$\\.*+?()[]{}|/'.includes(c))
      return fail(`\\${c} is not supported. Back references, \\b, \\p and lookarounds are not supported either`, start)
    return one(c)
  }

  const tree = choice()
  if (at < text.length) fail(') has no opening parenthesis')
  return tree
}

function one(character: string): Tree & { kind: 'characters' } {
  const code = character.codePointAt(0) ?? 0
  return { kind: 'characters', ranges: [[code, code]], isNegated: false }
}

/** The same characters in as few ranges as possible. */
function merged(ranges: readonly Range[]): Range[] {
  return complement(complement(ranges))
}

function complement(ranges: readonly Range[]): Range[] {
  const result: Range[] = []
  let next = 0
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    if (from > next) result.push([next, from - 1])
    next = Math.max(next, to + 1)
  }
  if (next <= 0x10ffff) result.push([next, 0x10ffff])
  return result
}

function emit(tree: Tree, program: Instruction[]): void {
  const ranges = program.reduce((sum, step) => sum + (step.kind === 'characters' ? step.ranges.length : 0), 0)
  if (program.length > maximumInstructions || ranges > maximumRanges) {
    throw new PatternError(
      `it needs more than ${maximumInstructions} steps or has too many character ranges. Use lower counts or simpler character classes`,
      0,
    )
  }
  switch (tree.kind) {
    case 'characters':
    case 'start':
    case 'end':
      program.push(tree)
      return
    case 'sequence':
      for (const part of tree.parts) emit(part, program)
      return
    case 'choice':
      emitChoice(tree.parts, program)
      return
    case 'repeat':
      emitRepeat(tree, program)
  }
}

function emitChoice(parts: readonly Tree[], program: Instruction[]): void {
  const ends: { kind: 'jump'; to: number }[] = []
  const [last, ...others] = [...parts].reverse()
  for (const part of others.reverse()) {
    const fork: Instruction & { kind: 'fork' } = { kind: 'fork', first: program.length + 1, second: 0 }
    program.push(fork)
    emit(part, program)
    const end = { kind: 'jump' as const, to: 0 }
    ends.push(end)
    program.push(end)
    fork.second = program.length
  }
  if (last) emit(last, program)
  for (const end of ends) end.to = program.length
}

function emitRepeat({ part, minimum, maximum }: Tree & { kind: 'repeat' }, program: Instruction[]): void {
  for (let i = 0; i < minimum; i++) {
    const before = program.length
    emit(part, program)
    // Nothing, however often, is nothing.
    if (program.length === before) break
  }
  if (maximum === Number.POSITIVE_INFINITY) {
    const fork: Instruction & { kind: 'fork' } = { kind: 'fork', first: program.length + 1, second: 0 }
    const begin = program.length
    program.push(fork)
    emit(part, program)
    program.push({ kind: 'jump', to: begin })
    fork.second = program.length
    return
  }
  const forks: (Instruction & { kind: 'fork' })[] = []
  for (let i = minimum; i < maximum; i++) {
    const fork: Instruction & { kind: 'fork' } = { kind: 'fork', first: program.length + 1, second: 0 }
    forks.push(fork)
    program.push(fork)
    emit(part, program)
  }
  for (const fork of forks) fork.second = program.length
}

const codes = (text: string): Range[] => Array.from(text, (c) => [c.codePointAt(0) ?? 0, c.codePointAt(0) ?? 0])
const lineEnds = codes('\n\r\u2028\u2029')
const sets: Record<string, readonly Range[]> = {
  d: [[48, 57]],
  w: [
    [48, 57],
    [65, 90],
    [95, 95],
    [97, 122],
  ],
  s: [...codes('\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff'), [0x2000, 0x200a]],
}
const controls: Record<string, string> = { t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' }
const maximumDepth = 20
/** With texts as long as a pattern may be set for, the longest match takes a few milliseconds. */
const maximumInstructions = 300
const maximumRanges = 2000

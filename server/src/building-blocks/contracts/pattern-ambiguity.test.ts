import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { answerSchema } from './answer-schema.ts'
import { isFastEverywhere, representatives } from './pattern-ambiguity.ts'
import type { Instruction } from './pattern-machine.ts'
import { compilePattern } from './safe-patterns.ts'

const isFast = (pattern: string) => isFastEverywhere(compilePattern(pattern).program)

describe('patterns for other validators', () => {
  test.each([
    '^(a+)+$',
    '^(a|a)*$',
    '^(a|aa)+$',
    '(.*)*x',
    '(x+x+)+y',
    '^(a*)*$',
    '^(a?){30}b$',
    '^(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)$',
    '^.+@.+$',
    '^\\S+@\\S+\\.\\S+$',
    '[0-9]+-',
    '.*foo',
    '\\s+$',
  ])('%s is refused', (pattern) => {
    expect(isFast(pattern)).toBe(false)
  })

  test.each([
    '^[A-Z]{2}[0-9]{6}$',
    '^[0-9A-Za-z][0-9A-Za-z ./-]*$',
    '^(DE|DK|FR)[0-9]{8,11}$',
    '^[0-9]{5}(-[0-9]{4})?$',
    '^(GB)?([0-9]{9}|[0-9]{12})$',
    '^[A-Z]{1,2}[0-9R][0-9A-Z]? ?[0-9][A-Z]{2}$',
    '^[^@\\s]+@[^@\\s.]+(\\.[^@\\s.]+)+$',
    '^[A-Za-z0-9 ]{1,100}$',
    '[0-9]',
    '[0-9]+',
    '[A-Z]{3}',
    '^\\+?[0-9 ()-]{7,20}$',
    '^(a|b)+$',
    '^.*foo',
    '\\S',
    '',
  ])('%s is accepted', (pattern) => {
    expect(isFast(pattern)).toBe(true)
  })

  test('for any accepted pattern: twice the text costs a backtracking engine about twice the steps, however hostile it is', () => {
    const counts = { accepted: 0, refused: 0 }
    fc.assert(
      fc.property(patterns, fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), fc.nat(), (pattern, pump, end) => {
        const { program } = compilePattern(pattern)
        const accepted = isFastEverywhere(program)
        counts[accepted ? 'accepted' : 'refused']++
        if (!accepted) return
        const letters = [...representatives(program), 0x21].map((code) => String.fromCodePoint(code))
        const pick = (at: number) => letters[at % letters.length] ?? ''
        const text = (times: number) => `${pump.map(pick).join('').repeat(times)}${pick(end)}!`
        const [once, twice] = [stepsOf(program, text(60)), stepsOf(program, text(120))]
        expect([pattern, text(2), twice <= 2.5 * once + 400]).toEqual([pattern, text(2), true])
      }),
      { numRuns: 1500 },
    )
    expect(Math.min(counts.accepted, counts.refused)).toBeGreaterThan(100)
  })

  test.each([
    '^(a|ab)*c$',
    '^[^@\\s]+@[^@\\s.]+(\\.[^@\\s.]+)+$',
    '^.*foo',
    '^(DE|DK|FR)[0-9]{8,11}$',
    '^[a-z ]*[0-9]$',
  ])('%s ends in RegExp on a text of a hundred thousand characters', (pattern) => {
    expect(isFast(pattern)).toBe(true)
    const expression = new RegExp(pattern, 'u')
    for (const pump of ['a', 'ab', 'a@a.', 'fo', 'DE1', ' '])
      expect(typeof expression.test(`${pump.repeat(100_000 / pump.length)}!`)).toBe('boolean')
  })

  test('the schema of a contract published earlier leaves an ambiguous pattern out and says so', () => {
    const schemaOf = (pattern: string) =>
      answerSchema(
        {
          sections: [{ key: 'one', title: 'One' }],
          questions: [{ key: 'q', section: 'one', type: 'text', label: 'Q', validation: { pattern } }],
        },
        { id: 'https://portal.example.com/schema.json', title: 'T' },
      )
    expect(schemaOf('^[A-Z]+$')).toMatchObject({ properties: { q: { allOf: [{ pattern: '^[A-Z]+$' }] } } })
    const { properties } = schemaOf('^(a+)+$')
    expect(properties).toMatchObject({ q: { $comment: expect.stringContaining('^(a+)+$') } })
    expect(properties).not.toMatchObject({ q: { allOf: expect.anything() } })
  })
})

/** The steps an engine takes that tries one way after another, from each start in turn, up to the first that fits. */
function stepsOf(program: readonly Instruction[], text: string): number {
  let steps = 0
  interface Try {
    place: number
    at: number
    /** The jumps since the last character: none is taken twice. */
    jumps: readonly string[]
  }
  for (let start = 0; start <= text.length; start++) {
    const open: Try[] = [{ place: 0, at: start, jumps: [] }]
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      if (++steps > 2_000_000) return steps
      const { place, at, jumps } = one
      const instruction = program[place]
      if (!instruction || instruction.kind === 'match') return steps
      const go = (to: number) => {
        const jump = `${place} ${to}`
        if (!jumps.includes(jump)) open.push({ place: to, at, jumps: [...jumps, jump] })
      }
      if (instruction.kind === 'characters') {
        const code = text.codePointAt(at)
        const isIn = code !== undefined && instruction.ranges.some(([from, to]) => code >= from && code <= to)
        if (code !== undefined && isIn !== instruction.isNegated)
          open.push({ place: place + 1, at: at + (code > 0xffff ? 2 : 1), jumps: [] })
      } else if (instruction.kind === 'jump') go(instruction.to)
      else if (instruction.kind === 'fork') {
        go(instruction.second)
        go(instruction.first)
      } else if (instruction.kind === 'start' ? at === 0 : at === text.length) go(place + 1)
    }
  }
  return steps
}

const patterns = fc
  .letrec<{ part: string; whole: string }>((tie) => ({
    part: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('a', 'b', '[ab]', '[^a]', '.', '\\d', '-'),
      tie('part').map((one) => `(${one})*`),
      tie('part').map((one) => `(?:${one})+`),
      tie('part').map((one) => `(${one})?`),
      tie('part').map((one) => `(${one}){1,3}`),
      fc.tuple(tie('part'), tie('part')).map(([a, b]) => `(${a}|${b})`),
      fc.tuple(tie('part'), tie('part')).map(([a, b]) => `${a}${b}`),
    ),
    whole: fc.tuple(fc.constantFrom('', '^'), tie('part'), fc.constantFrom('', '$')).map((list) => list.join('')),
  }))
  .whole.filter((pattern) => {
    try {
      compilePattern(pattern)
      return true
    } catch {
      return false
    }
  })

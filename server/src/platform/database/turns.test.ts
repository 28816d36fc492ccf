import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTurns } from './turns.ts'

const patient = { concernsAll: () => false, patience_ms: Number.POSITIVE_INFINITY, late: () => new Error('late') }

test('work under one key runs in its order, one at a time, whatever fails, and never waits for another key', async () => {
  const work = fc.record({ key: fc.constantFrom('a', 'b', 'c'), rounds: fc.nat(5), fails: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(work, { maxLength: 20 }), async (all) => {
      const takeTurn = createTurns(patient)
      const begun = new Map<string, number[]>()
      const running = new Set<string>()
      const outcomes = await Promise.allSettled(
        all.map(({ key, rounds, fails }, number) =>
          takeTurn(key, async () => {
            expect(running.has(key)).toBe(false)
            running.add(key)
            begun.set(key, [...(begun.get(key) ?? []), number])
            for (let round = 0; round < rounds; round++) await Promise.resolve()
            running.delete(key)
            if (fails) throw new Error(`${number}`)
            return number
          }),
        ),
      )
      expect(
        outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message)),
      ).toEqual(all.map(({ fails }, number) => (fails ? `${number}` : number)))
      for (const numbers of begun.values()) expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
    }),
  )
  const takeTurn = createTurns(patient)
  const never = takeTurn('a', () => new Promise<never>(() => undefined))
  expect(await Promise.race([never, takeTurn('b', async () => 'b')])).toBe('b')
})

test('a failure that concerns all ends the wait of those behind, and nobody else’s', async () => {
  const takeTurn = createTurns({ ...patient, concernsAll: (error) => error === 'away' })
  const begun: string[] = []
  const work = (name: string, fails?: string) => async () => {
    begun.push(name)
    await Promise.resolve()
    if (fails) throw fails
    return name
  }
  const first = ['one', 'two', 'three'].map((name) => takeTurn('a', work(name, name === 'one' ? 'away' : undefined)))
  const beside = takeTurn('b', work('beside'))
  expect((await Promise.allSettled([...first, beside])).map(({ status }) => status)).toEqual([
    'rejected',
    'rejected',
    'rejected',
    'fulfilled',
  ])
  expect(await takeTurn('a', work('later'))).toBe('later')
  expect(begun).toEqual(['one', 'beside', 'later'])
})

test('whoever has waited too long is refused without being begun, and whoever comes later is not', async () => {
  const takeTurn = createTurns({ ...patient, patience_ms: -1 })
  const begun: string[] = []
  const work = (name: string) => async () => begun.push(name)
  const answers = await Promise.allSettled([takeTurn('a', work('first')), takeTurn('a', work('behind'))])
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  await takeTurn('a', work('later'))
  expect(begun).toEqual(['first', 'later'])
})

import { setImmediate as nextRound } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createGate, type Gate, type Reason } from './gate.ts'

class Refused extends Error {}

function newGate() {
  const reasons: Reason[] = []
  const time = { now: 0 }
  const gate = createGate(
    (reason) => {
      reasons.push(reason)
      return new Refused(reason)
    },
    () => time.now,
  )
  const begun: string[] = []
  /** Enters, and stays until everybody is sent away. */
  const arrive = (portal: string, weight: 'light' | 'heavy' = 'light'): boolean => {
    try {
      const turn = gate.enter(portal, weight)
      if (turn) turn.then(() => begun.push(portal)).catch(() => undefined)
      else begun.push(portal)
      return true
    } catch {
      return false
    }
  }
  return { gate, reasons, begun, arrive, time }
}

/** As if everything that runs had been answered. */
async function answerAll(gate: Gate): Promise<void> {
  while (gate.running > 0) gate.leave(false)
  await nextRound()
  await nextRound()
}

test('64 requests run at once, and the next begins when one has left', async () => {
  const { gate, begun, arrive } = newGate()
  for (let i = 0; i < 70; i++) expect(arrive('one')).toBe(true)
  expect([gate.running, gate.waiting, begun.length]).toEqual([64, 6, 64])
  gate.leave(false)
  await nextRound()
  await nextRound()
  expect([gate.running, gate.waiting, begun.length]).toEqual([64, 5, 65])
})

test('a burst of 200 heavy requests is let in, and all of them are carried out', async () => {
  const { gate, begun, arrive } = newGate()
  for (let i = 0; i < 200; i++) expect(arrive('one', 'heavy')).toBe(true)
  for (let i = 0; i < 20; i++) await answerAll(gate)
  expect(begun.length).toBe(200)
  expect([gate.running, gate.waiting]).toEqual([0, 0])
})

test('a Portal that floods fills half of the places, heavy requests a third; others are let in and have their turn', async () => {
  const { gate, reasons, begun, arrive } = newGate()
  const heavy = Array.from({ length: 2000 }, () => arrive('flood', 'heavy')).filter(Boolean).length
  expect(heavy - 64).toBeGreaterThan(300)
  expect(heavy - 64).toBeLessThan(350)
  const light = Array.from({ length: 2000 }, () => arrive('flood')).filter(Boolean).length
  expect(heavy - 64 + light).toBe(512)
  expect(new Set(reasons)).toEqual(new Set(['queue_full']))
  expect(gate.refusal('flood', 'light')).toBe('queue_full')
  expect(gate.refusal('quiet', 'heavy')).toBeUndefined()
  for (let i = 0; i < 3; i++) expect(arrive('quiet', 'heavy')).toBe(true)
  begun.length = 0
  await answerAll(gate)
  // In turn: one of each until the quiet one has no more.
  expect(begun.slice(0, 6).filter((portal) => portal === 'quiet').length).toBe(3)
})

test('however many Portals flood, there is room for another', () => {
  const { arrive } = newGate()
  for (let portal = 0; portal < 12; portal++) for (let i = 0; i < 600; i++) arrive(`flood ${portal}`)
  expect(arrive('quiet')).toBe(true)
})

test('after a connection has come, work waits for a round in which it is let in', async () => {
  const { gate, begun, arrive } = newGate()
  gate.connected()
  expect(arrive('one')).toBe(true)
  expect(begun).toEqual([])
  await nextRound()
  await nextRound()
  expect(begun).toEqual(['one'])
})

test('a crowd that has lasted for a second may be as long as 256, 200 for heavy requests, or as is served in a second', async () => {
  const { gate, reasons, arrive, time } = newGate()
  for (let i = 0; i < 64 + 300; i++) arrive('one')
  expect(gate.isOverloaded()).toBe(false)
  time.now = 1001
  expect(gate.isOverloaded()).toBe(true)
  expect(gate.refusal('one', 'light')).toBe('queue_slow')
  expect(gate.refusal('other', 'heavy')).toBeUndefined()
  expect(reasons).toEqual([])
  // 64 in the latest second: fewer than may always wait.
  await answerAll(gate)
  expect(gate.waiting).toBe(300 - 64)
  expect(gate.refusal('one', 'light')).toBeUndefined()
  expect(gate.refusal('one', 'heavy')).toBe('queue_slow')
  await answerAll(gate)
  expect(gate.refusal('one', 'heavy')).toBeUndefined()
  expect(gate.isOverloaded()).toBe(false)
})

test('in a flood nobody waits longer than 4 seconds', async () => {
  const { gate, reasons, arrive, time } = newGate()
  for (let i = 0; i < 64 + 300; i++) arrive('one')
  time.now = 4001
  arrive('other')
  await expect.poll(() => gate.waiting).toBe(1)
  expect(reasons).toEqual(Array(300).fill('waited_too_long'))
})

test('work that has lasted for 10 ms lets the event loop turn before more begins', async () => {
  const { gate, begun, arrive, time } = newGate()
  expect(arrive('one')).toBe(true)
  time.now = 11
  expect(arrive('one')).toBe(true)
  expect([begun.length, gate.waiting]).toEqual([1, 1])
  await nextRound()
  await nextRound()
  expect([begun.length, gate.waiting]).toEqual([2, 0])
})

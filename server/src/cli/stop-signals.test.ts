import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { awaitStop, stopSignals as signals } from './stop-signals.ts'

const before = new Map(signals.map((signal) => [signal, process.listeners(signal)]))
/** Those of `awaitStop` alone: other listeners would end the tests. */
const own = () =>
  signals.flatMap((signal) => process.listeners(signal).filter((listener) => !before.get(signal)?.includes(listener)))

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  for (const listener of own()) for (const signal of signals) process.removeListener(signal, listener)
})

test('a stop begins with the first signal, drains, and is ended by force 30 seconds after the drain delay', async () => {
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never)
  const begin = vi.fn()
  const { isAsked, drained } = awaitStop(begin, 6000)
  let isDrained = false
  void drained.then(() => {
    isDrained = true
  })
  expect([isAsked(), begin.mock.calls.length, own().length]).toEqual([false, 0, signals.length])
  for (const listener of own()) listener('SIGTERM')
  expect([isAsked(), begin.mock.calls.length]).toEqual([true, 1])
  await vi.advanceTimersByTimeAsync(5999)
  expect(isDrained).toBe(false)
  // A second signal changes nothing.
  for (const listener of own()) listener('SIGINT')
  await vi.advanceTimersByTimeAsync(1)
  expect([isDrained, begin.mock.calls.length]).toEqual([true, 1])
  await vi.advanceTimersByTimeAsync(29_999)
  expect(exit).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(exit.mock.calls).toEqual([[1]])
})

import { describe, expect, onTestFinished, test } from 'vitest'
import { rememberKeys } from './remembered-keys.ts'

/** A memory of keys beside a clock and a database that answer when they are told to. */
function memory() {
  let time = 1000
  const asked: { answer(outcome: string): Promise<unknown>; fail(): Promise<unknown> }[] = []
  const keys = rememberKeys<string>({
    load: () =>
      new Promise((resolve, reject) => {
        asked.push({
          answer(outcome) {
            resolve(outcome)
            return settled()
          },
          fail() {
            reject(new Error('the database is away'))
            return settled()
          },
        })
      }),
    isKnown: (outcome) => outcome !== 'unknown',
    now: () => time,
  })
  const pass = (ms: number) => {
    time += ms
  }
  /** As a request asks: whether it is answered at once, by whom it is answered, or that nobody knows. */
  const ask = () => {
    const found = keys.remembered('key')
    return found instanceof Promise ? 'wait' : found
  }
  const look = async (outcome: string) => {
    const looked = keys.look('key')
    await asked.at(-1)?.answer(outcome)
    return looked
  }
  onTestFinished(() => keys.close())
  return { keys, asked, pass, ask, look }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('remembered keys', () => {
  test('are known for half a second from when they were asked for, however long the answer took', async () => {
    const { keys, asked, pass, ask } = memory()
    const looked = keys.look('key')
    pass(150)
    expect(ask()).toBe('wait')
    await asked[0]?.answer('portal')
    expect(await looked).toBe('portal')
    pass(349)
    expect(keys.remembered('key')).toBe('portal')
    await asked[1]?.fail()
    pass(1)
    expect(ask()).toBeUndefined()
  })

  test('are looked up again while they are in use, once, and nobody waits for that', async () => {
    const { asked, pass, ask, look } = memory()
    await look('portal')
    pass(200)
    expect(ask()).toBe('portal')
    expect(asked).toHaveLength(1)
    pass(1)
    expect([ask(), ask(), ask()]).toEqual(['portal', 'portal', 'portal'])
    expect(asked).toHaveLength(2)
    await asked[1]?.answer('portal')
    pass(300)
    expect(ask()).toBe('portal')
  })

  test('wait for the answer that is on its way once their time is over, and ask nobody else', async () => {
    const { asked, pass, ask, look } = memory()
    await look('portal')
    pass(400)
    expect(ask()).toBe('portal')
    pass(100)
    expect(ask()).toBe('wait')
    expect(asked).toHaveLength(2)
    await asked[1]?.answer('portal')
    expect(ask()).toBe('portal')
    pass(399)
    await asked[1]?.answer('portal')
    expect(ask()).toBe('portal')
    pass(1)
    expect(ask()).toBe('wait')
    expect(asked).toHaveLength(3)
  })

  test('that are revoked are refused as soon as that is seen', async () => {
    const { asked, pass, ask, look } = memory()
    await look('portal')
    pass(250)
    expect(ask()).toBe('portal')
    await asked[1]?.answer('revoked')
    expect(ask()).toBe('revoked')
  })

  test('are not kept alive by a database that does not answer', async () => {
    const { asked, pass, ask, look } = memory()
    await look('portal')
    pass(250)
    expect(ask()).toBe('portal')
    pass(500)
    expect(ask()).toBeUndefined()
    // What was asked before they were revoked says nothing any more.
    await look('revoked')
    await asked[1]?.answer('portal')
    expect(ask()).toBe('revoked')
  })

  test('are tried again while their time lasts when they could not be looked up', async () => {
    const { asked, pass, ask, look } = memory()
    await look('portal')
    pass(250)
    expect(ask()).toBe('portal')
    await asked[1]?.fail()
    expect(ask()).toBe('portal')
    expect(asked).toHaveLength(3)
    await asked[2]?.answer('portal')
    pass(400)
    expect(ask()).toBe('portal')
  })

  test('that do not exist push out none of those that do', async () => {
    const { keys, asked, look } = memory()
    await look('portal')
    for (let n = 0; n < 10_001; n++) {
      const looked = keys.look(`invented ${n}`)
      void asked.at(-1)?.answer('unknown')
      await looked
    }
    expect(keys.remembered('key')).toBe('portal')
    expect(keys.remembered('invented 0')).toBeUndefined()
    expect(keys.remembered('invented 10000')).toBe('unknown')
  })
})

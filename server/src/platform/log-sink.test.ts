import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { openLogSink } from './logging.ts'

test('a reader that stalls loses only what is too much, whole lines of it, and gets the rest when it goes on', async () => {
  // Reads nothing until something arrives at its gate.
  const reader = spawn('bash', ['-c', 'read -r _ <&3; cat'], { stdio: ['pipe', 'pipe', 'inherit', 'pipe'] })
  const [input, , , gate] = reader.stdio
  // safe because a pipe to a process has a descriptor
  const { fd } = (input as unknown as { _handle: { fd: number } })._handle
  const sink = openLogSink(fd)
  const total = 20_000
  const line = (n: number) => `${JSON.stringify({ n, text: 'ä'.repeat(100) })}\n`
  for (let n = 0; n < total; n++) sink.write(line(n))
  expect(sink.lostLines()).toBeGreaterThan(0)

  let received = ''
  reader.stdout?.setEncoding('utf8').on('data', (text) => {
    received += text
  })
  if (gate && 'write' in gate) gate.write('go\n')
  const lines = () => received.split('\n').slice(0, -1)
  await expect.poll(() => lines().length + sink.lostLines(), { timeout: 20_000 }).toBe(total)
  for (const text of lines()) expect(line(JSON.parse(text).n)).toBe(`${text}\n`)
  reader.kill()
  await once(reader, 'exit')
})

// A reading process that a document has taken over. What it does is told by the content type of the task.
const hoard: Buffer[] = []

const tricks: Record<string, () => void> = {
  'test/hang': () => {
    for (;;) hoard.length = 0
  },
  'test/flood': () => {
    const chunk = 'x'.repeat(1024 * 1024)
    const write = () => process.stdout.write(chunk, write)
    write()
  },
  'test/hoard-heap': () => {
    const lists: number[][] = []
    for (;;) lists.push(Array.from({ length: 1000 }, Math.random))
  },
  'test/hoard-buffers': () => setInterval(() => hoard.push(Buffer.alloc(8 * 1024 * 1024, 1)), 1),
  'test/crash': () => process.exit(3),
  'test/nonsense': () => process.stdout.write('{"pages":[{"number":"one"}]}', () => process.exit(0)),
  'test/environment': () => {
    const page = { number: 1, lines: Object.keys(process.env).sort() }
    process.stdout.write(JSON.stringify({ pages: [page] }), () => process.exit(0))
  },
}

process.stdin.resume()
tricks[process.argv[2] ?? '']?.()

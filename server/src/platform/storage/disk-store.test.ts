import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../values/ids.ts'
import { createDiskStore } from './disk-store.ts'
import {
  type Incoming,
  type ListedFile,
  NothingKept,
  type Store,
  StoreUnavailable,
  TooManyBytes,
} from './file-store.ts'

let root: string
let directory: string
let store: Store

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'portico-disk-'))
  directory = join(root, 'deep', 'files')
  store = createDiskStore(directory)
})
afterEach(() => rm(root, { recursive: true, force: true }))

describe('a disk store', () => {
  test('keeps exactly the bytes it received, with their hash, readable by nobody else', async () => {
    const bytes = randomBytes(1_234_567)
    const incoming = await receive(piecesOf(bytes, 10_000), bytes.length)
    expect(incoming).toMatchObject({ size_bytes: bytes.length, sha256: sha256Of(bytes) })
    const key = newKey()
    expect(await store.stat(key)).toBeUndefined()
    await incoming.keep(key)
    expect((await readFile(join(directory, key))).equals(bytes)).toBe(true)
    expect((await stat(join(directory, key))).mode & 0o777).toBe(0o600)
    expect(await store.stat(key)).toMatchObject({ size_bytes: bytes.length })
    expect((await buffer(await store.open(key))).equals(bytes)).toBe(true)
    expect(await leftovers()).toEqual([])
  })

  test('takes an empty file, chunks of one byte and a hundred at once', async () => {
    const empty = await receive(Readable.from([]), 0)
    expect(empty).toMatchObject({ size_bytes: 0, sha256: sha256Of(Buffer.alloc(0)) })
    await empty.discard()
    const bytes = randomBytes(5000)
    const incoming = await receive(piecesOf(bytes, 1), bytes.length)
    expect(incoming.sha256).toBe(sha256Of(bytes))
    await incoming.discard()
    const all = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const [key, content] = [newKey(), randomBytes(50_000)]
        await (await receive(piecesOf(content, 7000), content.length)).keep(key)
        return (await readFile(join(directory, key))).equals(content)
      }),
    )
    expect(all.every(Boolean)).toBe(true)
  })

  test('lets what has arrived be read before it is kept, and no further than its end', async () => {
    const incoming = await receive(Readable.from([Buffer.from('0123456789')]), 10)
    expect((await incoming.read(2, 3)).toString()).toBe('234')
    expect((await incoming.read(8, 1_000_000_000)).toString()).toBe('89')
    expect((await incoming.read(20, 5)).length).toBe(0)
    await incoming.discard()
  })

  test('says how many bytes came when fewer came than announced', async () => {
    const incoming = await receive(Readable.from([Buffer.from('short')]), 100)
    expect(incoming.size_bytes).toBe(5)
    await incoming.discard()
    expect(await leftovers()).toEqual([])
  })

  test('throws at the first byte too many, keeps nothing and leaves the stream to its owner', async () => {
    const source = new PassThrough()
    const receiving = receive(source, 10)
    source.write(Buffer.alloc(10))
    source.write(Buffer.alloc(1))
    await expect(receiving).rejects.toThrow(TooManyBytes)
    expect(source.destroyed).toBe(false)
    expect(await leftovers()).toEqual([])
  })

  test('keeps nothing of a stream that breaks, and says what broke it', async () => {
    for (const broken of [new Error('the client left'), undefined]) {
      const source = new PassThrough()
      const receiving = receive(source, 1000)
      source.write(Buffer.alloc(500))
      setImmediate(() => source.destroy(broken))
      await expect(receiving).rejects.toThrow(broken?.message ?? 'Premature close')
    }
    const gone = new PassThrough()
    gone.destroy()
    await expect(receive(gone, 1000)).rejects.toThrow('Premature close')
    expect(await leftovers()).toEqual([])
  })

  test('keeps nothing of a request whose client goes away in the middle', async () => {
    const server = createServer().listen(0)
    const outcome = once(server, 'request').then(([req]) => receive(req, 1000).catch((error: unknown) => error))
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const req = request({ port, method: 'PUT', headers: { 'content-length': 1000 } }).on('error', () => undefined)
    req.write(Buffer.alloc(500), () => req.destroy())
    // The network's error is not the disk's.
    const error = await outcome
    expect(error).toBeInstanceOf(Error)
    expect(error).not.toBeInstanceOf(StoreUnavailable)
    expect(await leftovers()).toEqual([])
    server.close()
  })

  test('reads a range with both ends, stops at the end of the file and refuses to start behind it', async () => {
    const key = await keepNew('0123456789')
    const text = async (start: number, end: number) => String(await buffer(await store.open(key, { start, end })))
    expect(await text(0, 0)).toBe('0')
    expect(await text(3, 6)).toBe('3456')
    expect(await text(8, 99)).toBe('89')
    for (const [start, end] of [
      [10, 12],
      [5, 4],
      [-1, 4],
      [0.5, 4],
    ] as const)
      await expect(store.open(key, { start, end })).rejects.toThrow(RangeError)
  })

  test('replaces a file in one step: who has it open reads the old one to the end', async () => {
    const key = await keepNew('old old old')
    const reading = await store.open(key)
    await (await receive(Readable.from([Buffer.from('new')]), 3)).keep(key)
    expect(String(await buffer(reading))).toBe('old old old')
    expect(String(await buffer(await store.open(key)))).toBe('new')
  })

  test('removes a file, and removing it again is no error', async () => {
    const key = await keepNew('x')
    await store.remove(key)
    expect(existsSync(join(directory, key))).toBe(false)
    await store.remove(key)
    await store.remove(newKey())
    expect(await store.stat(key)).toBeUndefined()
    await expect(store.open(key)).rejects.toThrow(NothingKept)
  })

  test('discards once, and never what is kept', async () => {
    const key = newKey()
    const incoming = await receive(Readable.from([Buffer.from('kept')]), 4)
    await incoming.keep(key)
    await incoming.discard()
    expect(await store.stat(key)).toMatchObject({ size_bytes: 4 })
    const other = await receive(Readable.from([Buffer.from('gone')]), 4)
    await other.discard()
    await other.discard()
    expect(await leftovers()).toEqual([])
  })

  test('takes no key but ours, so that none leads out of the directory', async () => {
    await writeFile(join(root, 'secret'), 'x')
    const good = newKey()
    const bad = [
      '../../secret',
      'incoming/x',
      `/${good}`,
      `${good}/..`,
      `${good}\n`,
      `${good}\0`,
      '',
      good.toUpperCase(),
    ]
    for (const key of [...bad, good.replace('/', '/../'), good.replace('fil_', 'ptl_')]) {
      await expect(store.open(key)).rejects.toThrow('is not a file key')
      await expect(store.stat(key)).rejects.toThrow('is not a file key')
      await expect(store.remove(key)).rejects.toThrow('is not a file key')
      const incoming = await receive(Readable.from([Buffer.from('x')]), 1)
      await expect(incoming.keep(key)).rejects.toThrow('is not a file key')
      await incoming.discard()
    }
    expect(await leftovers()).toEqual([])
  })

  test('sweeps what dead processes left, and nothing that is still arriving', async () => {
    await store.check()
    const old = join(directory, 'incoming', 'of-a-dead-process')
    await writeFile(old, 'x')
    const twoHoursAgo = new Date(Date.now() - 7_200_000)
    await utimes(old, twoHoursAgo, twoHoursAgo)
    const incoming = await receive(Readable.from([Buffer.from('fresh')]), 5)
    expect(await leftovers()).toHaveLength(2)
    await store.receiver?.sweep(3_600_000)
    expect(await leftovers()).toHaveLength(1)
    const key = newKey()
    await incoming.keep(key)
    expect(await store.stat(key)).toMatchObject({ size_bytes: 5 })
  })

  test('sweeps a directory that was never used', async () => {
    await store.receiver?.sweep(0)
    expect(existsSync(directory)).toBe(false)
  })

  test('lists what it keeps, with the time it was written, and nothing else that lies around', async () => {
    const listed = async () => {
      const all: ListedFile[] = []
      for await (const file of store.list()) all.push(file)
      return all.sort((a, b) => (a.key < b.key ? -1 : 1))
    }
    expect(await listed()).toEqual([])
    expect(existsSync(directory)).toBe(false)
    const keys = [await keepNew('one'), await keepNew('two')].sort()
    const writtenAt = new Date('2030-01-02T03:04:05Z')
    for (const key of keys) await utimes(join(directory, key), writtenAt, writtenAt)
    const [portal = '', file = ''] = keys[0]?.split('/') ?? []
    const arriving = await receive(Readable.from([Buffer.from('x')]), 1)
    for (const name of ['readme.txt', newId('ptl'), `${portal}/${file}.tmp`, `${portal}/${newId('ptl')}`])
      await writeFile(join(directory, name), 'x')
    for (const name of [`${portal}/${newId('fil')}`, 'other']) await mkdir(join(directory, name))
    await writeFile(join(directory, 'other', file), 'x')
    await symlink(join(directory, 'readme.txt'), join(directory, portal, newId('fil')))
    expect(await listed()).toEqual(keys.map((key) => ({ key, is_upload: false, modified_at: writtenAt.getTime() })))
    await arriving.discard()
  })

  test('says in a sentence that its directory cannot be listed', async () => {
    await mkdir(root, { recursive: true })
    await writeFile(join(root, 'deep'), 'a file in the way')
    const first = store.list()[Symbol.asyncIterator]().next()
    await expect(first).rejects.toThrow('The file directory cannot be used: ENOTDIR')
  })

  // A process may write no file above 64 blocks; a file system of 64 KiB in a name space of its own.
  const starvations = {
    EFBIG: `trap '' XFSZ; ulimit -f 64; "$0" "$@"`,
    ENOSPC: `exec unshare -rm sh -c 'mkdir -p "$6" && mount -t tmpfs -o size=64k none "$6" && exec "$0" "$@"' "$0" "$@"`,
  }
  const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0
  for (const [code, shell] of Object.entries(starvations)) {
    // Where a small disk cannot be mounted the test is not there, rather than skipped.
    const testHere = code === 'ENOSPC' && !canMount ? () => undefined : test
    testHere(`keeps nothing when the disk takes no more, and says ${code}`, () => {
      const program = `
        import { readdirSync } from 'node:fs'
        import { Readable } from 'node:stream'
        import { createDiskStore } from '${new URL('disk-store.ts', import.meta.url)}'
        const error = await createDiskStore(process.argv[1]).receiver
          .receive(Readable.from([Buffer.alloc(30_000), Buffer.alloc(30_000), Buffer.alloc(30_000)]), 90_000)
          .catch((error) => error)
        console.log(error.name, error.cause.code, error.message, readdirSync(process.argv[1] + '/incoming').length)`
      const node = [process.execPath, '--import', 'tsx', `--input-type=module`, '-e', program, directory]
      // For the shell the program's last word, the directory, is $6.
      const run = spawnSync('sh', ['-c', shell, ...node], { encoding: 'utf8', timeout: 30_000 })
      expect(run.stderr).toBe('')
      const sentence =
        code === 'ENOSPC' ? 'The disk with the file directory is full' : 'The file directory cannot be used'
      expect(run.stdout).toMatch(new RegExp(`^StoreUnavailable ${code} ${sentence}.* 0\n$`))
    })
  }

  test('says in a sentence that its directory cannot be used', async () => {
    await store.check()
    await rm(join(directory, 'incoming'), { recursive: true })
    await writeFile(join(directory, 'incoming'), 'a file in the way')
    await expect(store.check()).rejects.toThrow(StoreUnavailable)
    await expect(store.check()).rejects.toThrow('The file directory cannot be used: ')
    await expect(receive(Readable.from([Buffer.from('x')]), 1)).rejects.toThrow(StoreUnavailable)
  })
})

function receive(bytes: Readable, expected: number): Promise<Incoming> {
  if (!store.receiver) throw new Error('A disk store receives.')
  return store.receiver.receive(bytes, expected)
}

async function keepNew(text: string): Promise<string> {
  const key = newKey()
  await (await receive(Readable.from([Buffer.from(text)]), text.length)).keep(key)
  return key
}

function leftovers(): Promise<string[]> {
  return readdir(join(directory, 'incoming'))
}

function piecesOf(bytes: Buffer, size: number): Readable {
  const count = Math.ceil(bytes.length / size)
  return Readable.from(Array.from({ length: count }, (_, i) => bytes.subarray(i * size, (i + 1) * size)))
}

const newKey = () => `${newId('ptl')}/${newId('fil')}`
const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

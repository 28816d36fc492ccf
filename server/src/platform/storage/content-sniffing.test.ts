import { crc32, deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contentProblem, knownContentTypes } from './content-sniffing.ts'

const office = 'application/vnd.openxmlformats-officedocument'
const docx = `${office}.wordprocessingml.document`
const xlsx = `${office}.spreadsheetml.sheet`
const pptx = `${office}.presentationml.presentation`

/** One good file of every binary type, as small as it can be. */
const binaries: Record<string, Buffer> = {
  'application/pdf': latin('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n%%EOF\n'),
  'image/png': latin('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0'),
  'image/jpeg': latin('\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01'),
  'image/gif': latin('GIF89a\x01\0\x01\0\0\0\0;'),
  'image/webp': latin('RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0'),
  'image/tiff': latin('II*\0\x08\0\0\0\0\0'),
  'image/heic': latin('\0\0\0\x18ftypmif1\0\0\0\0mif1heic'),
  [docx]: zip(['[Content_Types].xml', '_rels/.rels', 'word/document.xml']),
  [xlsx]: zip(['[Content_Types].xml', 'xl/workbook.xml']),
  [pptx]: zip(['[Content_Types].xml', 'ppt/presentation.xml']),
  'application/msword': compoundFile(['Root Entry', 'WordDocument', '1Table']),
  'application/vnd.ms-excel': compoundFile(['Root Entry', 'Workbook']),
  'application/zip': zip(['a.txt', 'b.txt']),
}
const texts: Record<string, Buffer> = {
  'text/csv': Buffer.from('name;amount\nMüller;1\n'),
  'text/plain': Buffer.from('Dear Sir or Madam,\r\n\tPaid 100 €.\n'),
  'application/json': Buffer.from('{"a": [1, 2, "three"]}\n'),
}
const everything = { ...binaries, ...texts }

describe('what a file is', () => {
  test('every known type has an example here, and none is one that a browser or a machine would run', () => {
    expect(Object.keys(everything).sort()).toEqual([...knownContentTypes].sort())
    expect(knownContentTypes.filter((type) => /html|svg|script|xml$|octet|exec|download/.test(type))).toEqual([])
  })

  test.each(Object.entries(everything))('a good %s is taken', async (type, bytes) => {
    expect(await problemOf(type, bytes)).toBeUndefined()
  })

  test.each([
    ['image/jpeg', latin('\xff\xd8\xff\xdb\0\x43')],
    ['image/gif', latin('GIF87a\x01\0\x01\0\0\0\0;')],
    ['image/tiff', latin('MM\0*\0\0\0\x08\0\0')],
    ['image/heic', latin('\0\0\0\x10ftypheic\0\0\0\0')],
    ['application/zip', zip([])],
    ['application/zip', zip(['a.txt'], { comment: 'a remark PK\x05\x06 at the end' })],
    ['application/zip', zip(['a.txt', 'report.docx', 'macros/vbaProject.bin'])],
    ['application/zip', zip(['a.txt'], { isLong: true })],
    [xlsx, zip(['[Content_Types].xml', 'xl\\workbook.xml'])],
    [docx, zip(['[Content_Types].xml', 'word/document.xml'], { isLong: true })],
    ['application/vnd.ms-excel', compoundFile(['Root Entry', 'Book'])],
    ['application/vnd.ms-excel', compoundFile(['Root Entry', 'a', 'b', 'c', 'd', 'e', 'f', 'Workbook'])],
    ['application/msword', compoundFile(['Root Entry', ...Array(30).fill('x'), 'WordDocument'], 12)],
    ['text/plain', Buffer.from('\ufeffwith a mark')],
    ['text/plain', latin('Latin: caf\xe9 \x80 100')],
    ['text/csv', Buffer.from('\ufeffname;amount\n', 'utf16le')],
    ['text/csv', Buffer.from('\ufeffname;amount\n', 'utf16le').swap16()],
    ['text/plain', Buffer.from('<john@example.com> wrote: a < b')],
    ['text/plain', Buffer.from('é'.repeat(100_000))],
    ['text/plain', Buffer.from(`x${'é'.repeat(100_000)}`)],
    ['application/json', Buffer.from(`[${'"é",'.repeat(1_000_000)}1]\n`)],
    ['application/json', Buffer.from('"only a text"')],
  ])('another form of %s is taken', async (type, bytes) => {
    expect(await problemOf(type, bytes)).toBeUndefined()
  })

  test.each([
    ['text/html', Buffer.from('<html>'), 'is not accepted'],
    ['image/svg+xml', Buffer.from('<svg/>'), 'is not accepted'],
    ['application/octet-stream', Buffer.from('x'), 'is not accepted'],
    ['constructor', Buffer.from('x'), 'is not accepted'],
    ['text/plain', Buffer.alloc(0), 'The file is empty.'],
    ['application/pdf', Buffer.from('MZ\x90\0'), 'The file is not a PDF.'],
    ['application/pdf', Buffer.from(' %PDF-1.7'), 'The file is not a PDF.'],
    ['application/pdf', Buffer.from('%PD'), 'The file is not a PDF.'],
    ['image/png', latin('\x89PNG\r\n\x1a\n<script>'), 'not a PNG'],
    ['image/webp', latin('RIFF\x1a\0\0\0WAVEfmt '), 'not a WebP'],
    ['image/heic', latin('\0\0\0\x18ftypmif1\0\0\0\0mif1avif'), 'not a HEIC'],
    ['image/heic', latin('\0\0\0\x18ftypisom\0\0\0\0mp41isom'), 'not a HEIC'],
    [docx, zip(['[Content_Types].xml', 'word/document.xml', 'word/vbaProject.bin']), 'contains macros'],
    [xlsx, zip(['[Content_Types].xml', 'xl/workbook.xml', 'xl/VBAPROJECT.BIN']), 'contains macros'],
    [docx, zip(['word/document.xml']), 'not a Word document'],
    [docx, zip(['[Content_Types].xml', 'word/document.xml', 'xl/workbook.xml']), 'not a Word document'],
    [docx, compoundFile(['Root Entry', 'EncryptedPackage']), 'If it has a password, remove the password'],
    ['application/zip', zip(['[Content_Types].xml', 'word/document.xml', 'word/vbaProject.bin']), 'an Office document'],
    ['application/zip', Buffer.concat([zip(['a']), Buffer.from('more')]), 'not a ZIP'],
    ['application/zip', Buffer.concat([latin('MZ'), zip(['a'])]), 'not a ZIP'],
    ['application/zip', zip(['a']).subarray(0, 40), 'not a ZIP'],
    ['application/zip', zip(Array.from({ length: 40_000 }, (_, i) => `${i}`.padStart(80, '0'))), 'more files than'],
    ['application/msword', compoundFile(['Root Entry', 'Workbook']), 'not a Word document'],
    ['application/msword', compoundFile(['Root Entry', 'WordDocument']).subarray(0, 600), 'not a Word document'],
    ['text/plain', Buffer.from('a\0b'), 'not plain text'],
    ['text/plain', Buffer.from('a\x1b[31m'), 'not plain text'],
    ['text/plain', latin('\xff\xfea'), 'not plain text'],
    ['text/plain', latin('\xff\xfe\0\xd8a\0'), 'not plain text'],
    ['text/csv', latin('\x7fELF\x02'), 'not CSV text'],
    ['text/plain', latin('MZ\x90\0\x03\0'), 'not plain text'],
    ['text/csv', Buffer.from('<!DOCTYPE html><p>'), 'starts like markup or a script'],
    ['text/csv', Buffer.from('\ufeff \n<HTML>'), 'starts like markup or a script'],
    ['text/csv', Buffer.from('\ufeff<svg onload="x">', 'utf16le'), 'starts like markup or a script'],
    ['text/plain', Buffer.from('<?xml version="1.0"?><svg/>'), 'starts like markup or a script'],
    ['text/plain', Buffer.from('<script>alert(1)</script>'), 'starts like markup or a script'],
    ['text/plain', Buffer.from('<!-- x --><b>'), 'starts like markup or a script'],
    ['text/plain', Buffer.from('#!/bin/sh\nrm -rf /'), 'starts like markup or a script'],
    ['text/plain', Buffer.from('<?php phpinfo();'), 'starts like markup or a script'],
    ['text/plain', Buffer.from('{\\rtf1\\ansi'), 'starts like markup or a script'],
    ['application/json', Buffer.from('{"a": 1'), 'not JSON'],
    ['application/json', latin('"\xe9"'), 'not JSON'],
    ['application/json', Buffer.from('<html>'), 'not JSON'],
    ['application/json', Buffer.from(`[${'1,'.repeat(3_000_000)}`), 'not JSON'],
  ])('%s is refused for other bytes, with a sentence', async (type, bytes, sentence) => {
    expect(await problemOf(type, bytes)).toContain(sentence)
  })

  test('the bytes of one binary type are never taken for another type, whatever follows them', async () => {
    const pairs = fc.constantFrom(
      ...Object.keys(binaries).flatMap((is) =>
        knownContentTypes.filter((type) => type !== is).map((says) => ({ is, says })),
      ),
    )
    await fc.assert(
      fc.asyncProperty(pairs, fc.uint8Array({ maxLength: 300 }), async ({ is, says }, more) => {
        const bytes = binaries[is] ?? Buffer.alloc(0)
        // Appended after the signature's part, so that files known by their end are tried whole as well as spoiled.
        expect(await problemOf(says, bytes)).toBeDefined()
        expect(await problemOf(says, Buffer.concat([bytes, more]))).toBeDefined()
      }),
      { numRuns: 1000 },
    )
  })

  test('a spoiled file never throws, never is read outside of its bytes and never takes more than a few reads', async () => {
    const spoiled = fc.record({
      is: fc.constantFrom(...Object.keys(binaries)),
      changes: fc.array(fc.tuple(fc.nat({ max: 5000 }), fc.nat({ max: 255 })), { maxLength: 30 }),
      cut: fc.nat({ max: 100 }),
    })
    await fc.assert(
      fc.asyncProperty(spoiled, async ({ is, changes, cut }) => {
        const bytes = Buffer.from(binaries[is] ?? '')
        for (const [at, value] of changes) bytes[at % bytes.length] = value
        const { length } = bytes.subarray(0, Math.max(1, bytes.length - (cut > 50 ? cut : 0)))
        for (const type of knownContentTypes) await problemOf(type, bytes.subarray(0, length))
      }),
      { numRuns: 300 },
    )
  })

  test('a compound file is known by its directory also where the header does not reach', async () => {
    const [end, first] = [0xffff_fffe, 109 * 128]
    const bytes = Buffer.alloc((first + 3) * 512)
    compoundFile(['Root Entry']).copy(bytes, 0, 0, 512)
    const sector = (number: number) => bytes.subarray((number + 1) * 512, (number + 2) * 512)
    bytes.writeUInt32LE(first, 48)
    bytes.writeUInt32LE(2, 68)
    // Sector 2 lists sector 3, which links the two sectors of the directory.
    sector(2).writeUInt32LE(3, 0)
    sector(3).writeUInt32LE(first + 1, 0)
    sector(3).writeUInt32LE(end, 4)
    compoundFile(['Root Entry', 'x', 'y', 'z', 'WordDocument']).copy(sector(first), 0, 1024, 1536)
    compoundFile(['WordDocument']).copy(sector(first + 1), 0, 1024, 1536)
    expect(await problemOf('application/msword', bytes)).toBeUndefined()
    sector(3).writeUInt32LE(end, 0)
    expect(await problemOf('application/msword', bytes)).toContain('not a Word document')
  })

  test('a directory that runs in a circle comes to an end', async () => {
    const bytes = compoundFile(['Root Entry', 'x', 'y', 'z'])
    // The directory's sector is 1, and now its own successor.
    bytes.writeUInt32LE(1, 512 + 4)
    expect(await problemOf('application/msword', bytes)).toContain('not a Word document')
  })
})

/** With a `read` that is strict about what it is asked. */
async function problemOf(type: string, bytes: Buffer): Promise<string | undefined> {
  let reads = 0
  return contentProblem(type, bytes.length, async (offset, length) => {
    expect(++reads).toBeLessThan(600)
    expect(offset >= 0 && length > 0 && offset + length <= bytes.length && length <= 5_000_000).toBe(true)
    return bytes.subarray(offset, offset + length)
  })
}

function latin(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

function zip(names: readonly string[], { comment = '', isLong = false } = {}): Buffer {
  const content = deflateRawSync('content')
  const locals: Buffer[] = []
  const entries: Buffer[] = []
  let at = 0
  for (const name of names) {
    const shared = Buffer.alloc(26)
    shared.writeUInt16LE(20, 0)
    shared.writeUInt16LE(8, 4)
    shared.writeUInt32LE(crc32('content'), 10)
    shared.writeUInt32LE(content.length, 14)
    shared.writeUInt32LE(7, 18)
    shared.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([latin('PK\x03\x04'), shared, Buffer.from(name), content])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(at, 10)
    entries.push(latin('PK\x01\x02\x14\0'), shared, rest, Buffer.from(name))
    locals.push(local)
    at += local.length
  }
  const directory = Buffer.concat(entries)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(names.length & 0xffff, 8)
  end.writeUInt16LE(names.length & 0xffff, 10)
  end.writeUInt32LE(isLong ? 0xffff_ffff : directory.length, 12)
  end.writeUInt32LE(isLong ? 0xffff_ffff : at, 16)
  end.writeUInt16LE(comment.length, 20)
  const long = Buffer.alloc(isLong ? 76 : 0)
  if (isLong) {
    long.write('PK\x06\x06', 0, 'latin1')
    long.writeBigUInt64LE(BigInt(directory.length), 40)
    long.writeBigUInt64LE(BigInt(at), 48)
    long.write('PK\x06\x07', 56, 'latin1')
    long.writeBigUInt64LE(BigInt(at + directory.length), 64)
  }
  return Buffer.concat([...locals, directory, long, end, latin(comment)])
}

/** Header, one sector of links, then the directory. */
function compoundFile(names: readonly string[], shift = 9): Buffer {
  const sector = 2 ** shift
  const sectors = Math.ceil((names.length * 128) / sector)
  const bytes = Buffer.alloc(sector * (2 + sectors))
  bytes.write('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 0, 'latin1')
  bytes.writeUInt16LE(shift, 30)
  bytes.writeUInt32LE(1, 48)
  bytes.fill(0xff, 76, 512)
  bytes.writeUInt32LE(0, 76)
  bytes.fill(0xff, sector, 2 * sector)
  for (let i = 1; i <= sectors; i++) bytes.writeUInt32LE(i < sectors ? i + 1 : 0xffff_fffe, sector + 4 * i)
  names.forEach((name, index) => {
    const at = 2 * sector + index * 128
    bytes.write(name, at, 'utf16le')
    bytes.writeUInt16LE(2 * name.length + 2, at + 64)
  })
  return bytes
}

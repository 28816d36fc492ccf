// Writes plain zip files: local headers, deflated bodies, a central directory.
import { crc32 as crcOf, deflateRawSync } from 'node:zlib'

interface ZipWriterEntry {
  name: string
  body: Buffer | string
  /** Lies about the inflated size, as a bomb would. */
  claimed_size?: number
  is_encrypted?: boolean
}

export function writeZip(entries: readonly ZipWriterEntry[]): Buffer {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const body = Buffer.from(entry.body)
    const packed = deflateRawSync(body, { level: 9 })
    const name = Buffer.from(entry.name)
    // Version, flags, method, time and date, checksum, both sizes, the length of the name, no extra field.
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(entry.is_encrypted ? 1 : 0, 2)
    facts.writeUInt16LE(8, 4)
    facts.writeUInt32LE(0x5a6f6000, 6)
    facts.writeUInt32LE(crcOf(body), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(entry.claimed_size ?? body.length, 18)
    facts.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([signature(0x04034b50), facts, name, packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    central.push(Buffer.concat([signature(0x02014b50), Buffer.from([20, 0]), facts, place, name]))
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, directory, signature(0x06054b50), end])
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

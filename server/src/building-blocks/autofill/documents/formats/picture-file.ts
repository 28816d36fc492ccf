// A picture that was uploaded as a document: a photo or a scan of one page. It is not unpacked here; its head says how
// large it is.
import { createTextCollector, type DocumentText } from './document-text.ts'
import { DocumentTooLarge, DocumentUnreadable } from './document-unreadable.ts'
import type { Ocr } from './ocr.ts'
import { largestPicturePixels } from './pdf-pictures.ts'
import { layOutLines } from './text-layout.ts'

export async function readPicture(bytes: Buffer, ocr: Ocr): Promise<DocumentText> {
  const size = pngSize(bytes) ?? jpegSize(bytes)
  if (!size || size.width === 0 || size.height === 0)
    throw new DocumentUnreadable('malformed', 'The picture is damaged. Save it again as PNG or JPEG.')
  if (size.width * size.height > largestPicturePixels)
    throw new DocumentTooLarge(
      `The picture must not have more than ${largestPicturePixels / 1_000_000} million pixels. Save it in a smaller size.`,
    )
  const collector = createTextCollector()
  collector.beginPage()
  // As wide as a sheet of paper, whatever the camera says.
  const scale = 595 / size.width
  for (const line of layOutLines(await ocr.read(1, false, async () => ({ picture: { bytes }, scale }))))
    collector.addLine(line)
  for (const problem of ocr.problems(1)) collector.addProblem(problem)
  return collector.finish()
}

interface Size {
  width: number
  height: number
}

function pngSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 24 || bytes.toString('latin1', 1, 4) !== 'PNG') return undefined
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

/** In the frame header, which comes after any number of other segments. */
function jpegSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined
  let at = 2
  while (at + 9 < bytes.length) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xff) {
      at++
      continue
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

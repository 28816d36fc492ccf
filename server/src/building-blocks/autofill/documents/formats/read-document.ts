// What the reading process does with one document. Every failure becomes an answer; only the process itself can fail.
import { readCsv } from './csv-text.ts'
import type { DocumentText } from './document-text.ts'
import { DocumentUnreadable, type UnreadableCode } from './document-unreadable.ts'
import { readDocx } from './docx-text.ts'
import type { Ocr } from './ocr.ts'
import { readPdf } from './pdf-text.ts'
import { readPicture } from './picture-file.ts'
import { readPlainText } from './plain-text.ts'
import { isReadable, type ReadableType } from './readable-documents.ts'
import { readXlsx } from './xlsx-text.ts'

export interface ReadFailure {
  error: UnreadableCode
  message: string
}

export async function readDocument(bytes: Buffer, contentType: string, ocr: Ocr): Promise<DocumentText | ReadFailure> {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (!isReadable(type)) return { error: 'unsupported', message: unsupported }
  if (bytes.subarray(0, 8).equals(oldOfficeHead)) {
    // Word and Excel put an encrypted document, and documents of before 2007, into this older container.
    if (bytes.includes(encryptedPackage))
      return {
        error: 'encrypted',
        message: 'The file is password-protected. Save it without a password and upload it again.',
      }
    return { error: 'unsupported', message: unsupported }
  }
  try {
    return await readers[type](bytes, ocr)
  } catch (error) {
    if (error instanceof DocumentUnreadable) return { error: error.code, message: error.message }
    // Deep structures end as a full stack: the file is broken, or was made to break us.
    return { error: 'malformed', message: 'The file is damaged. Open it, save it as a new file and upload that file.' }
  }
}

const readers: Record<ReadableType, (bytes: Buffer, ocr: Ocr) => DocumentText | Promise<DocumentText>> = {
  'application/pdf': readPdf,
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': readDocx,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': readXlsx,
  'text/csv': readCsv,
  'text/plain': readPlainText,
  'image/png': readPicture,
  'image/jpeg': readPicture,
}

const unsupported =
  'Autofill reads PDF, DOCX, XLSX, CSV, plain text, PNG and JPEG files. Save the document in one of these formats.'
const oldOfficeHead = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const encryptedPackage = Buffer.from('EncryptedPackage', 'utf16le')

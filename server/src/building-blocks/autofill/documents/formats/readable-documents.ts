const readableTypes = [
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'text/csv',
  'text/plain',
  'image/png',
  'image/jpeg',
] as const
export type ReadableType = (typeof readableTypes)[number]

/** Whether documents of this type are read for their text. Asked without loading the readers, which are large. */
export function isReadable(contentType: string): contentType is ReadableType {
  return readableTypes.some((type) => type === contentType)
}

import { extensionsOf } from './content-sniffing.ts'

/** The header that saves a download under its name (RFC 6266): plain for old clients, exact in filename* (RFC 8187). */
export function attachmentOf(filename: string, contentType: string): string {
  // No control characters, half characters or paths: the rest cannot break the header or leave the folder.
  const name = withExtension(filename.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}/\\]/gu, '_'), contentType)
  const plain = name.replace(/[^\x20-\x7e]/gu, '_').replace(/["%]/g, '_')
  if (plain === name) return `attachment; filename="${plain}"`
  const exact = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`
}

/** A PDF that is saved as statement.html is opened as a page. So a name ends in an extension of its type, always. */
function withExtension(name: string, contentType: string): string {
  const extensions = extensionsOf(contentType)
  const ending = /\.([^.]*)$/.exec(name)?.[1]?.toLowerCase()
  return ending !== undefined && extensions.includes(ending) ? name : `${name}.${extensions[0]}`
}

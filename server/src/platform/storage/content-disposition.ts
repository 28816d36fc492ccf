/** The header that saves a download under its name (RFC 6266): plain for old clients, exact in filename* (RFC 8187). */
export function attachmentOf(filename: string): string {
  // No control characters, half characters or paths: the rest cannot break the header or leave the folder.
  const name = filename.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}/\\]/gu, '_')
  const plain = name.replace(/[^\x20-\x7e]/gu, '_').replace(/["%]/g, '_')
  if (plain === name) return `attachment; filename="${plain}"`
  const exact = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`
}

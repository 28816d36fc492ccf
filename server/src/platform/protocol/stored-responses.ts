/** What the stored response of an Idempotency-Key is sealed to. */
export function storedResponseBinding(portalId: string, key: string): string {
  return `${portalId} ${key}`
}

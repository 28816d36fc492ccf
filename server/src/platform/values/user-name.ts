import { userInfo } from 'node:os'

/** The name of the operating system user. */
export function userName(): string {
  try {
    return userInfo().username
  } catch {
    // The user has no name, as in many containers.
    return `uid ${process.getuid?.()}`
  }
}

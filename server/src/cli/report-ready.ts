// To systemd a unit of `Type=notify` has started when the process itself says so, whoever else answers on its port.
import { execFile } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Context } from '../platform/context.ts'
import type { Stop } from './stop-signals.ts'

/**
 * Reports once that the process is ready; `socket` is there when systemd waits for it. A program of systemd sends the
 * message, because Node.js has no datagram sockets: so the unit needs `NotifyAccess=all`.
 */
export async function reportReady(
  { log }: Pick<Context, 'log'>,
  { socket, isReady, stop }: { socket: string | undefined; isReady(): Promise<boolean | undefined>; stop: Stop },
): Promise<void> {
  if (socket === undefined) return
  while (!(await isReady().catch(() => false))) {
    if (stop.isAsked()) return
    await setTimeout(lookAgainMs, undefined, { ref: false })
  }
  for (let attempt = 1; !stop.isAsked(); attempt++) {
    try {
      await promisify(execFile)('systemd-notify', ['--ready'], { timeout: patienceMs })
      return
    } catch (error) {
      log.warn({ err: error, attempt }, 'systemd could not be told that this process is ready: systemd-notify failed')
      if (attempt === attempts) return
      await setTimeout(patienceMs, undefined, { ref: false })
    }
  }
}

const lookAgainMs = 300
/** More than the 5 seconds that systemd-notify waits for systemd. */
const patienceMs = 10_000
const attempts = 3

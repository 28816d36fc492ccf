import type { Command } from 'commander'
import {
  acceptTime,
  beginTime,
  findKeptTime,
  readReference,
  type TimedContext,
} from '../platform/background/kept-time.ts'
import { hour, isoTime } from '../platform/clock.ts'
import { catchUpSpeed, toleranceMs } from '../platform/own-time.ts'
import { spokenDuration } from '../platform/values/durations.ts'
import { type OutputOptions, print } from './output.ts'
import { withContext } from './session.ts'

export function clockCommands(program: Command): void {
  program
    .command('clock')
    .description('Tell Portico whether the clock is right. `portico doctor` shows whether it has jumped.')
    .command('accept')
    .description(
      'Accept the time of the clock after a jump. Running servers follow within 10 seconds. What is due then expires in steps.',
    )
    .option('--json', 'print JSON')
    .action((options: OutputOptions) =>
      withContext(async (context) => {
        const difference = context.clock.difference() ?? (await findKeptTime(context))?.difference_ms ?? 0
        const behind = await readBehind(context)
        await acceptTime(context)
        const time = isoTime(context.clock.now())
        const accepted =
          difference === 0
            ? `Accepted the time ${time}. The clock had not jumped.`
            : `Accepted the time ${time}: the clock is ${spokenDuration(difference)} ${directionOf(difference)} the time that Portico kept. Running servers follow within 10 seconds.`
        print(options, { time, difference_seconds: Math.round(difference / 1000) }, accepted + behind)
      }),
    )
}

/** What remains to be said about expiry after a jump ahead. */
async function readBehind(context: TimedContext): Promise<string> {
  const lag = (await readReference(context)) - context.clock.expiry()
  if (lag < hour) return ''
  return ` Expiry catches up in about ${spokenDuration(lag / (catchUpSpeed - 1))}: each hour expires at most what is due in ${catchUpSpeed} hours.`
}

function directionOf(differenceMs: number): string {
  return differenceMs > 0 ? 'ahead of' : 'behind'
}

interface ClockFinding {
  outcome: 'ok' | 'warning' | 'problem'
  message: string
}

/** The clock of this machine against that of the database, and both against the time that Portico kept. */
export async function examineClock(context: TimedContext): Promise<ClockFinding> {
  const kept = await findKeptTime(context)
  const reference = await readReference(context)
  const apart = context.clock.wall() - reference
  if (Math.abs(apart) > toleranceMs)
    return {
      outcome: 'problem',
      message: `The clock of this machine is ${spokenDuration(apart)} ${directionOf(apart)} the clock of the database. Correct the clock that is wrong; timedatectl shows whether this machine synchronizes its own.`,
    }
  if (!kept) return { outcome: 'ok', message: isoTime(reference) }
  await beginTime(context)
  const offBy = reference - Date.parse(kept.kept_at)
  // Written by a process that may be gone; it counts while the clock is still as far away.
  const isCurrent = kept.difference_ms !== null && Math.abs(offBy - kept.difference_ms) < 3 * toleranceMs
  const difference = isCurrent ? offBy : context.clock.difference()
  if (difference !== undefined) {
    const stopped = difference > 0 ? ' (or Portico was stopped for that long)' : ''
    return {
      outcome: 'problem',
      message: `The clock jumped ${difference > 0 ? 'ahead' : 'back'} by ${spokenDuration(difference)}${stopped}. Nothing expires and nothing is deleted until Portico has run for 1 hour. If the clock is right, run: portico clock accept. If it is wrong, correct it.`,
    }
  }
  const lag = reference - Date.parse(kept.expiry_at)
  if (reference - Date.parse(kept.kept_at) < hour && lag > hour)
    return {
      outcome: 'warning',
      message: `${isoTime(reference)}; expiry and deletion are ${spokenDuration(lag)} behind after a jump of the clock, and catch up in steps`,
    }
  return { outcome: 'ok', message: `${isoTime(reference)}, in agreement with the time that Portico kept` }
}

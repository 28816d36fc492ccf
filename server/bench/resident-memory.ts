import { readFileSync } from 'node:fs'

/** The memory a process holds right now, or has ever held at once. */
export function residentBytes(pid: number, which: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const kilobytes = new RegExp(`^${which}:\\s+([0-9]+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) * 1024
}

/** The processor time a process has used so far, with all its threads, in milliseconds. */
export function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  // The 14th and the 15th field of the line, in hundredths of a second; two were split off.
  return (Number(fields[11]) + Number(fields[12])) * 10
}

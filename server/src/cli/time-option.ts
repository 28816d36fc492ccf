import { InvalidArgumentError } from 'commander'
import { isTime } from '../platform/values/times.ts'

/** The value of an option that is a time, in the form that the tables hold. */
export function readTime(text: string): string {
  if (!isTime(text)) throw new InvalidArgumentError('It must be a time such as 2027-01-31T00:00:00Z.')
  return new Date(text).toISOString()
}

import { expect, test } from 'vitest'
import { createLogger } from './logging.ts'

test('a line of the log names the command to run next as the operator calls this program, and nothing else', () => {
  const lines: string[] = []
  const log = createLogger({ log_level: 'info', program: 'portico-admin' }, (line) => lines.push(line))
  log.warn({ err: new Error('The schema is older. Run: portico migrate') }, 'until you run `portico clock accept`')
  log.info({ application: 'portico events' }, 'a stored file is missing; portico files verify lists all of them')
  const [first, second] = lines.map((line) => JSON.parse(line))
  expect(first).toMatchObject({
    msg: 'until you run `portico-admin clock accept`',
    err: { message: 'The schema is older. Run: portico-admin migrate' },
  })
  expect(second).toMatchObject({
    application: 'portico events',
    msg: 'a stored file is missing; portico-admin files verify lists all of them',
  })
})

test('a line stays JSON whatever the program is called', () => {
  const lines: string[] = []
  const program = 'sudo -u "portico" c:\\portico'
  createLogger({ log_level: 'info', program }, (line) => lines.push(line)).info('run portico doctor')
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: `run ${program} doctor` })
})

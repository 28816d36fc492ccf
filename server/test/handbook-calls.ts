// What the commands of the handbook ask of the programs that cannot run in a test: whether there is what they name.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import type { Machine, notHere } from './handbook-machine.ts'

const repository = fileURLToPath(new URL('../../', import.meta.url))

/** Those that ask for something that is not there, or for something else than they should. */
export function senselessCalls(machine: Machine): string[][] {
  const { services } = parse(readFileSync(join(repository, 'deploy/compose.yaml'), 'utf8'), { merge: true })
  const units = readdirSync(join(machine.root, 'etc/systemd/system'))
  const run = machine.commands().map(shapeOf)
  const isRun = (words: readonly string[]) => run.includes(shapeOf(words.join(' ')))
  const areServices = (words: readonly string[]) => words.every((word) => word in services)
  const containers: Record<string, (words: string[]) => boolean> = {
    build: ([flag, file = '']) => flag === '--file' && existsSync(join(repository, file)),
    // Longer than a server may take to stop.
    run: (words) =>
      words.join(' ').startsWith('--init --stop-timeout 45 ') && words.slice(-3).join() === 'portico,serve,--demo',
    tag: (words) => words.join() === 'portico,portico:before',
    image: (words) => words.join() === 'prune',
  }
  const ofCompose: Record<string, (words: string[]) => boolean> = {
    build: (words) => words.join() === '--pull',
    up: (words) =>
      words.join() === '--detach' ||
      (words.slice(0, 3).join(' ') === '--detach --no-deps --wait' && areServices(words.slice(3))),
    stop: areServices,
    restart: ([flag, ...words]) => flag === '--no-deps' && areServices(words),
    exec: (words) => {
      const [service = '', command, ...rest] = words[0] === '-T' ? words.slice(1) : words
      const isOfNginx = service === 'proxy' && command === 'nginx' && rest.join(' ') === '-s reload'
      const isOfPortico = command === 'portico' && service in services && isRun(rest)
      return isOfPortico || isOfNginx || (service === 'database' && command === 'psql')
    },
    cp: ([from = '']) => (from.split(':')[0] ?? '') in services,
    run: (words) => {
      const [, options = '', service = '', command = ''] =
        /^--rm((?: -\S+| sh)*) (\S+) ?(.*)$/.exec(words.join(' ')) ?? []
      if (!(service in services)) return false
      if (options === '') return service === 'migrate' && command === ''
      if (options === ' --no-deps') return isRun(command.split(' '))
      return options === ' --no-deps -T --entrypoint sh' && command.startsWith('-c umask 077 && cat >')
    },
  }
  const isSensible: Record<keyof typeof notHere, (words: string[]) => boolean> = {
    npm: ([, , flag, , file = '']) => flag === '--prefix' && /^\.\/portico-server-[\d.]+\.tgz$/.test(file),
    'systemd-sysusers': (words) => words.length === 0,
    systemctl: ([verb = '', ...words]) =>
      verb === 'daemon-reload' ||
      (verb === 'reload' && words.join() === 'nginx') ||
      (verb === 'restart' && ['pgbouncer', 'redis-server'].includes(words.join())) ||
      (['enable', 'start', 'stop', 'restart'].includes(verb) &&
        words
          .filter((word) => word !== '--now')
          .every((unit) => units.includes(`${unit.replace(/@.*/, '@')}.service`))),
    'apt-get': ([verb, ...words]) => verb === 'install' && words.every((word) => /^[a-z0-9-]+$/.test(word)),
    nginx: (words) => words.join() === '-t',
    docker: ([first = '', ...words]) => {
      if (first !== 'compose') return containers[first]?.(words) ?? false
      const [verb = '', ...rest] = words
      return ofCompose[verb]?.(rest) ?? false
    },
    aws: ([service, verb, from = '', to = '', ...words]) =>
      service === 's3api'
        ? [verb, from, to, ...words].join(' ') ===
          'put-bucket-policy --bucket portico-files --policy file://policy.json'
        : `${service} ${verb}` === 's3 sync' &&
          from === join(machine.root, 'var/lib/portico/files') &&
          /^s3:\/\/[a-z-]+$/.test(to) &&
          words.join(' ') === '--exclude incoming/*',
    journalctl: (words) => words.join(' ') === '--unit portico* --output cat',
  }
  const check: Record<string, ((words: string[]) => boolean) | undefined> = isSensible
  return machine.calls().filter(([program = '', ...words]) => !check[program]?.(words))
}

/** A command and its options, without their values. */
function shapeOf(command: string): string {
  const [first, second = ''] = command.split(' ')
  const subcommand = /^[a-z]+$/.test(second) ? [second] : []
  return [first, ...subcommand, ...[...command.matchAll(/ (--[a-z-]+)/g)].map(([, option]) => option)].join(' ')
}

import color from 'picocolors'
import type { Config } from '../platform/config.ts'
import { apiUrl, docsUrl } from '../platform/context.ts'

/** What a user needs to call the API of the demo Portal. */
export interface DemoAccess {
  portal_id: string
  portal_name: string
  key: string
}

/** Printed after the server has started: addresses, key, first request. */
export function welcome(config: Config, demo: DemoAccess | undefined): string {
  const lines = [
    '',
    color.bold('Portico is running.'),
    '',
    `  API    ${apiUrl(config, '/')}`,
    `  Docs   ${docsUrl(config, '/')}`,
  ]
  if (demo) {
    lines.push(
      `  Key    ${demo.key}  (demo Portal "${demo.portal_name}")`,
      '',
      '  Try it:',
      '',
      `    curl -H "Authorization: Bearer ${demo.key}" "${apiUrl(config, '/businesses/?page_size=3')}"`,
    )
  } else {
    lines.push(
      '',
      '  To create an API key:',
      '',
      '    npx portico portal list',
      '    npx portico key create --portal ID --name NAME --grant all',
    )
  }
  return `${lines.join('\n')}\n`
}

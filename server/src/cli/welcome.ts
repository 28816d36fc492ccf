import color from 'picocolors'
import type { Config } from '../platform/config.ts'
import { apiUrl, docsUrl } from '../platform/context.ts'

/** What it takes to look around the demo Portal. */
export interface DemoAccess {
  portal_id: string
  portal_name: string
  key: string
}

/** What somebody who has just started the server wants to know. */
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
      '  Make a key: npx portico portal list, then npx portico key create --portal ID --name NAME --grant all',
    )
  }
  return `${lines.join('\n')}\n`
}

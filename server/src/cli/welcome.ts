import color from 'picocolors'
import type { Config } from '../platform/config.ts'
import { apiUrl, docsUrl } from '../platform/context.ts'

/** What a user needs to call the API of the demo Portal. */
export interface DemoAccess {
  portal_id: string
  portal_name: string
  key: string
  /** A project with matches; a demo of an earlier release has none. */
  project_id?: string
}

/** Where it is kept, in the data directory. */
export const accessFileName = 'demo.json'

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
      tryIt(demo, apiUrl(config, '/businesses/?page_size=3')),
    )
    if (demo.project_id)
      lines.push(
        tryIt(demo, apiUrl(config, `/projects/${demo.project_id}/matches/?outcome=near_miss&page_size=1`)),
        tryIt(demo, apiUrl(config, '/deals/?direction=received&state=open&page_size=1')),
      )
  } else {
    lines.push(
      '',
      '  To create an API key:',
      '',
      '    portico portal list',
      '    portico key create --portal ID --name NAME --grant all',
    )
  }
  return `${lines.join('\n')}\n`
}

function tryIt({ key }: DemoAccess, url: string): string {
  return `    curl -H "Authorization: Bearer ${key}" "${url}"`
}

import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import type { Logger } from '../logging.ts'
import { answerParserErrors } from './parser-errors.ts'
import { answerInTurn } from './pipelining.ts'

const quiet: Pick<Logger, 'info'> = { info: () => undefined }
const head = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

test('a head that came in half while others waited is not refused as too slow', async () => {
  let finishFirst = (): void => undefined
  const server = createServer(
    { headersTimeout: 100, connectionsCheckingInterval: 20, requestTimeout: 60_000 },
    ({ url = '' }, response) => {
      if (url === '/1') finishFirst = () => response.end(url)
      else response.end(url)
    },
  )
  const turns = answerInTurn(server)
  // safe because nothing else of the log is used
  answerParserErrors(server, { turns }, () => ({ status: 408, headers: {}, body: 'too slow' }), quiet as Logger)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // safe because the server listens on a port
  const { port } = server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  const [first, second] = [head('/3').slice(0, 9), head('/3').slice(9)]
  socket.write(head('/1') + head('/2') + first)
  // Node reports the half head as too slow while we read nothing; only then does the first answer leave.
  const [error] = await once(server, 'clientError')
  expect(error.code).toBe('ERR_HTTP_REQUEST_TIMEOUT')
  socket.write(second)
  finishFirst()
  let received = ''
  while (!received.includes('/3')) received += String((await once(socket, 'data'))[0])
  expect([...received.matchAll(/\r\n\r\n(\/\d)/g)].map(([, body]) => body)).toEqual(['/1', '/2', '/3'])
  socket.destroy()
  server.close()
})

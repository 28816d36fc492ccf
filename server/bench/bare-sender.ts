// What deliveries are measured against: the same bytes, sent to the same receiver by a bare undici loop with as many
// requests under way. It knows no database, no signature, no schedule and no log.
import { Pool } from 'undici'

const { url, count, underWay, body } = JSON.parse(process.argv[2] ?? '{}')
const { origin, pathname } = new URL(url)
const pool = new Pool(origin, { connections: underWay, pipelining: 1 })
let begun = 0

async function work(): Promise<void> {
  while (begun++ < count) {
    const response = await pool.request({
      path: pathname,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'webhook-id': `msg_${begun}` },
      body,
    })
    await response.body.dump()
    if (response.statusCode >= 300) throw new Error(`a request was answered with ${response.statusCode}`)
  }
}

await Promise.all(Array.from({ length: underWay }, work))
await pool.close()

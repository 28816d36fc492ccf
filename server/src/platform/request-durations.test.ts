import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createRequestDurations } from './request-durations.ts'

test('every request is in the metrics, in its bucket, however many there were', async () => {
  const registry = new Registry()
  const observe = createRequestDurations(registry)
  for (let i = 0; i < 300; i++) observe('GET', '/v1/', 200, 3)
  observe('GET', '/v1/', 404, 20_000)
  const metrics = await registry.metrics()
  const name = 'portico_http_request_duration_seconds'
  expect(metrics).toContain(`# TYPE ${name} histogram`)
  expect(metrics).toContain(`${name}_bucket{le="0.002",method="GET",route="/v1/",status="200"} 0`)
  expect(metrics).toContain(`${name}_bucket{le="0.005",method="GET",route="/v1/",status="200"} 300`)
  expect(metrics).toContain(`${name}_bucket{le="10",method="GET",route="/v1/",status="404"} 0`)
  expect(metrics).toContain(`${name}_bucket{le="+Inf",method="GET",route="/v1/",status="404"} 1`)
  expect(metrics).toContain(`${name}_count{method="GET",route="/v1/",status="200"} 300`)
  expect(metrics).toContain(`${name}_sum{method="GET",route="/v1/",status="404"} 20`)
})

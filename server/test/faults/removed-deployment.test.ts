// The harness itself: a test that has run out of time goes on in the background, and must not leave servers behind.
import { expect, test } from 'vitest'
import { freePort } from '../postgres-cluster.ts'
import { newDeployment } from './deployment.ts'

test('a deployment that was removed starts no server, and ends one that was just starting', async () => {
  const deployment = await newDeployment()
  const port = await freePort()
  const starting = deployment.start({ port })
  const outcome = expect(starting).rejects.toThrow('the deployment was removed')
  await deployment.remove()
  await outcome
  await expect(deployment.start({ port })).rejects.toThrow('the deployment was removed')
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow()
})

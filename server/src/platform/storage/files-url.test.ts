import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseFilesUrl } from './files-url.ts'
import { openStore } from './open-store.ts'

const credentials = { PORTICO_S3_ACCESS_KEY_ID: 'id', PORTICO_S3_SECRET_ACCESS_KEY: 'secret' }
const parse = (text: string | undefined) => parseFilesUrl(text, credentials, '/srv/data')

describe('the address of files', () => {
  test.each([
    [undefined, '/srv/data/files'],
    ['/var/files', '/var/files'],
    ['./files', resolve('files')],
    ['files', resolve('files')],
    ['file:///var/my%20files', '/var/my files'],
  ])('%s is a directory', (text, directory) => {
    const settings = parse(text)
    expect(settings).toEqual({ kind: 'disk', directory })
    expect(openStore(settings).receiver).toBeDefined()
  })

  test.each([
    ['s3://a-bucket?region=eu-central-1', 'https://s3.eu-central-1.amazonaws.com', false],
    ['s3://a-bucket?endpoint=https://s3.example.com&region=auto', 'https://s3.example.com', false],
    [
      's3://a-bucket/?endpoint=http%3A%2F%2F127.0.0.1%3A9000&region=auto&path_style=true',
      'http://127.0.0.1:9000',
      true,
    ],
  ])('%s is a bucket', (text, endpoint, path_style) => {
    const settings = parse(text)
    expect(settings).toMatchObject({ kind: 's3', bucket: 'a-bucket', endpoint, path_style })
    expect(settings).toMatchObject({ access_key_id: 'id', secret_access_key: 'secret' })
    expect(openStore(settings).direct).toBeDefined()
  })

  test.each([
    ['', 'must not be empty'],
    ['ftp://host/files', 'must be a directory or start with s3://, not with ftp:'],
    ['file://host/files', 'must be file:/// followed by an absolute path'],
    ['s3://id:hunter2@a-bucket?region=auto', 'must not contain credentials: set PORTICO_S3_ACCESS_KEY_ID'],
    ['s3://a-bucket/folder?region=auto', 'must have only a bucket name'],
    ['s3://A_Bucket?region=auto', 'must have a bucket name of 3 to 63'],
    ['s3://?region=auto', 'must have a bucket name of 3 to 63'],
    ['s3://a-bucket', 'must have a region, such as region=eu-central-1'],
    [
      's3://a-bucket?region=auto&regoin=x',
      'must not have the parameter regoin; supported parameters: endpoint, region, path_style',
    ],
    ['s3://a-bucket?region=auto&region=us-east-1', 'must not have the parameter region more than once'],
    ['s3://a-bucket?region=auto&path_style=yes', 'must have path_style=true or path_style=false'],
    ['s3://a-bucket?region=auto&endpoint=s3.example.com', 'must have an endpoint that starts with https:// or http://'],
    [
      's3://a-bucket?region=auto&endpoint=https://s3.example.com/x',
      'must have an endpoint without path, query, fragment or credentials',
    ],
    ['s3://a-bucket?region=auto&endpoint=http://127.0.0.1:9000', 'must have path_style=true'],
    ['s3://a.bucket?region=auto', 'must have path_style=true'],
  ])('%s is refused with the reason and without the text itself', (text, reason) => {
    expect(() => parse(text)).toThrow(reason)
    expect(() => parse(text)).not.toThrow('hunter2')
  })

  test('a bucket without both credentials is refused by naming the settings', () => {
    for (const name of ['PORTICO_S3_ACCESS_KEY_ID', 'PORTICO_S3_SECRET_ACCESS_KEY'])
      expect(() => parseFilesUrl('s3://a-bucket?region=auto', { ...credentials, [name]: '' }, '.')).toThrow(
        'set PORTICO_S3_ACCESS_KEY_ID and PORTICO_S3_SECRET_ACCESS_KEY',
      )
  })
})

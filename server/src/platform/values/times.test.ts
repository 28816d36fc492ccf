import { describe, expect, test } from 'vitest'
import { dateIn, endOfDateIn } from './times.ts'

const dayMs = 86_400_000

describe('the end of a date', () => {
  // Those without midnight on some day, those far from UTC, with odd offsets, and those with nothing special.
  test.each([
    'UTC',
    'America/Los_Angeles',
    'America/Santiago',
    'America/Havana',
    'America/Asuncion',
    'America/Nuuk',
    'America/St_Johns',
    'Atlantic/Azores',
    'Africa/Cairo',
    'Africa/Casablanca',
    'Asia/Beirut',
    'Asia/Kathmandu',
    'Asia/Tehran',
    'Australia/Lord_Howe',
    'Europe/Berlin',
    'Pacific/Apia',
    'Pacific/Chatham',
    'Pacific/Kiritimati',
  ])('is the first moment of the next one, on every day of two years in %s', (zone) => {
    const wrong: string[] = []
    for (let at = Date.parse('2026-01-01'); at < Date.parse('2028-01-01'); at += dayMs) {
      const date = new Date(at).toISOString().slice(0, 10)
      const end = endOfDateIn(zone, date)
      if (dateIn(zone, end) <= date || dateIn(zone, end - 1) > date) wrong.push(date)
    }
    expect(wrong).toEqual([])
  })

  test('is a time that can be kept, also for the last date there is', () => {
    for (const zone of ['UTC', 'Pacific/Kiritimati', 'America/Los_Angeles'])
      expect(new Date(endOfDateIn(zone, '9999-12-31')).toISOString()).toBe('9999-12-31T23:59:59.999Z')
  })
})

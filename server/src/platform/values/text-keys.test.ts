import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { beginningsOf, companyNameKey, foldText, joinedWordsOf, numberKey, wordsOf } from './text-keys.ts'

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc
    .array(fc.constantFrom(..."aÅłß'’.- İǆガｶﾞ東京रामُאָйёΣςกำ\u0301\u0308\u3099"), { maxLength: 12 })
    .map((list) => list.join('')),
)

describe('folding', () => {
  test('for any text: folding again changes nothing, and neither case nor composition matters', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const folded = foldText(text)
        expect([text, foldText(folded)]).toEqual([text, folded])
        expect([text, foldText(text.normalize('NFD'))]).toEqual([text, foldText(text.normalize('NFC'))])
      }),
      { numRuns: 2000 },
    )
  })

  test('for any text: words have letters, digits and marks alone, so that no pattern can be smuggled into a search', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const word of [...wordsOf(text), ...joinedWordsOf(text)]) {
          expect(word).toMatch(/^[\p{L}\p{N}\p{M}]+$/u)
          for (const part of beginningsOf(word)) expect(word.endsWith(part)).toBe(true)
        }
      }),
      { numRuns: 2000 },
    )
  })

  test('for any plain text: the fast way finds the same words as the way for all scripts', () => {
    const plain = fc.array(fc.constantFrom(..."abzAZ059 .-'&,\t", 'Lee', 'LLC', '  '), { maxLength: 14 })
    fc.assert(
      fc.property(plain, (list) => {
        const text = list.join('')
        // A word of another script at the end takes every function the long way.
        const long = (words: string[]) => words.filter((word) => word !== 'жж')
        expect([text, wordsOf(text)]).toEqual([text, long(wordsOf(`${text} жж`))])
        expect([text, joinedWordsOf(text)]).toEqual([text, long(joinedWordsOf(`${text} жж`))])
        expect([text, numberKey(text) ?? '']).toEqual([text, numberKey(`${text}жж`)?.slice(0, -2)])
      }),
      { numRuns: 5000 },
    )
  })

  test('for any text: its own words begin words of the text', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        const stored = wordsOf(`${a} ${b}`, 1000)
        for (const word of wordsOf(a)) expect(stored).toContain(word)
      }),
    )
  })

  test.each([
    ['Łódź', 'lodz'],
    ['STRASSE', 'strasse'],
    ['Straße', 'strasse'],
    ['Đại Việt', 'dai viet'],
    ['İstanbul', 'istanbul'],
    ['Ærø Œuvre Þór', 'aero oeuvre thor'],
    ['Ёлка', 'елка'],
    ['ｶﾞｽ', 'ガス'],
    ['شَرِكَة', 'شركة'],
    ['soft\u00adhyphen', 'softhyphen'],
  ])('%s is %s', (text, folded) => {
    expect(foldText(text)).toBe(folded)
  })

  test.each([
    ['ガス', 'カス'],
    ['パン', 'ハン'],
    ['राम', 'रमा'],
    ['का', 'कि'],
    ['กา', 'กี'],
    ['й', 'и'],
    ['ї', 'і'],
  ])('%s is not %s', (a, b) => {
    expect(foldText(a)).not.toBe(foldText(b))
    expect(wordsOf(a)).not.toEqual(wordsOf(b))
    expect(companyNameKey(a)).not.toBe(companyNameKey(b))
    expect(numberKey(a)).not.toBe(numberKey(b))
  })
})

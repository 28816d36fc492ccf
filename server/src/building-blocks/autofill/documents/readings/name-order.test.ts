// In which order people write their names, and how it is told.
import { describe, expect, test } from 'vitest'
import { splitName } from './person-names.ts'

const split = (name: string, country: string | null = 'US', label = '') => {
  const found = splitName(name, country, label)
  return found && `${found.first_name} | ${found.last_name}`
}

describe('the family name', () => {
  test.each([
    ['at the end, as usual', 'Ann Lee', 'US', '', 'Ann | Lee'],
    ['behind initials', 'DALE R HAUTALA', 'US', '', 'DALE R | HAUTALA'],
    ['in capitals, wherever it stands', 'LE GUENNEC Thibault', 'FR', '', 'Thibault | LE GUENNEC'],
    ['before a name that is only a given one', 'Thonnard Benedicte', 'BE', '', 'Benedicte | Thonnard'],
    ['first, where the label says so', 'Ndiaye Awa', 'FR', 'Nom et prénom', 'Awa | Ndiaye'],
    ['first, in another language', 'Yilmaz Deniz', 'DE', 'Name, Vorname', 'Deniz | Yilmaz'],
    [
      'at the end in spite of the label, where the names say so',
      'Sylvie Dupont',
      'FR',
      'Nom et prénom',
      'Sylvie | Dupont',
    ],
    ['at the end, where the label says so', 'Awa Ndiaye', 'FR', 'Prénom et nom', 'Awa | Ndiaye'],
    ['of two words in Spain', 'FERRANDIS MARTÍ VICENT', 'ES', 'Apellidos y nombre', 'VICENT | FERRANDIS MARTÍ'],
    ['of two words at the end', 'Vicent Ferrandis Martí', 'ES', 'Nombre y apellidos', 'Vicent | Ferrandis Martí'],
    ['with its small words', 'van der Berg Anneke', 'BE', 'Nom, prénom', 'Anneke | van der Berg'],
    ['first in Singapore', 'Tan Wei Shan', 'SG', '', 'Wei Shan | Tan'],
    ['behind another given name in Singapore', 'Grace Tan Wei Shan', 'SG', '', 'Grace Wei Shan | Tan'],
    ['at the end in Singapore, as in the West', 'Wei Ming Chua', 'SG', '', 'Wei Ming | Chua'],
    ['at the end of a foreigner’s name in Hong Kong', 'Robert Lee Thompson', 'HK', '', 'Robert Lee | Thompson'],
    ['at the end, whatever a bracket explains', 'Herve Pennec', 'FR', 'Nom (prénom et nom)', 'Herve | Pennec'],
    ['at the end, where it is a given name as well', 'Elton John', 'GB', '', 'Elton | John'],
    ['first in a name of two parts in Korea', 'Kim Minjun', 'KR', '', 'Minjun | Kim'],
    ['at the end of other names in Singapore', 'Rajesh Menon', 'SG', '', 'Rajesh | Menon'],
  ])('%s', (_, name, country, label, expected) => expect(split(name, country, label)).toBe(expected))
})

test('an order that only the names tell is a guess', () => {
  expect(splitName('Thonnard Benedicte', 'BE')).toMatchObject({ is_order_unsure: true })
  expect(splitName('Thonnard Benedicte', 'BE', 'Nom et prénom')).not.toHaveProperty('is_order_unsure')
})

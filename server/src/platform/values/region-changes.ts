// What ISO 3166-2 says differently from the list in the package `iso-3166` (4.4.0, data of 2023). Each entry is a fact of
// the standard or of the reform behind it; an entry goes when the package has it.

interface RegionChange {
  reason: string
  withdrawn: readonly string[]
  added: readonly { code: string; name: string; parent: string }[]
}

const norway = (code: string, name: string) => ({ code, name, parent: 'NO' })

export const regionChanges: readonly RegionChange[] = [
  {
    reason: 'On 2024-01-01 Norway divided Viken, Vestfold og Telemark, and Troms og Finnmark.',
    withdrawn: ['NO-30', 'NO-38', 'NO-54'],
    added: [
      norway('NO-31', 'Østfold'),
      norway('NO-32', 'Akershus'),
      norway('NO-33', 'Buskerud'),
      norway('NO-39', 'Vestfold'),
      norway('NO-40', 'Telemark'),
      norway('NO-55', 'Troms'),
      norway('NO-56', 'Finnmark'),
    ],
  },
  {
    reason: 'On 2007-01-01 five regions replaced the counties of Denmark.',
    withdrawn: '015 020 025 030 035 040 042 050 055 060 065 070 076 080 101 147'.split(' ').map((code) => `DK-${code}`),
    added: [],
  },
  {
    reason: 'In 2015 Luxembourg abolished its districts; cantons are its regions.',
    withdrawn: ['LU-D', 'LU-G', 'LU-L'],
    added: [],
  },
  {
    reason: 'In 2019 Ghana divided Brong-Ahafo into Ahafo, Bono and Bono East.',
    withdrawn: ['GH-BA'],
    added: [],
  },
  {
    reason: 'In 2018 Pakistan merged the Federally Administered Tribal Areas into Khyber Pakhtunkhwa.',
    withdrawn: ['PK-TA'],
    added: [],
  },
]

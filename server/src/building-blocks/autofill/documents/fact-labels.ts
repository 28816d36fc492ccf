// Which facts are looked for and the labels they go by, as data.

/** The form a value must have to be believed. */
export type ValueKind = 'amount' | 'date' | 'count' | 'identifier' | 'phone' | 'email' | 'website' | 'address' | 'text'

export interface FactLabel {
  fact: string
  kind: ValueKind
  words: readonly string[]
  /** Multiplies the confidence: below 1 where a label often means something else. */
  weight: number
  /** The label may stand in the middle of a sentence although its value has no form of its own. */
  is_infix?: boolean
}

type Labels = readonly (string | [label: string, weight: number])[]

const facts: readonly [fact: string, kind: ValueKind, labels: Labels][] = [
  [
    'business.legal_name',
    'text',
    [
      'legal name',
      'legal business name',
      'legal entity name',
      'legal name of business',
      'registered name',
      'company name',
      'name of company',
      'business name',
      'name of business',
      'entity name',
      'corporation name',
      'name of corporation',
      'name of partnership',
      'name of taxpayer',
      'taxpayer name',
      ['account holder', 0.8],
      ['account name', 0.7],
    ],
  ],
  [
    'business.trading_name',
    'text',
    ['trading name', 'trade name', 'doing business as', 'trading as', 'dba', 'd b a', 't a'],
  ],
  [
    'business.tax_id',
    'identifier',
    [
      'ein',
      'employer identification number',
      'employer id number',
      'employer id no',
      'federal tax id',
      'tax id',
      'tax id number',
      'tax identification number',
      'taxpayer identification number',
      'tin',
      'utr',
      'unique taxpayer reference',
      'vat number',
      'vat no',
      'vat registration number',
      'vat reg no',
    ],
  ],
  [
    'business.registration_number',
    'identifier',
    [
      'company number',
      'company no',
      'registration number',
      'registration no',
      'registered number',
      'company registration number',
      'company registration no',
      'business registration number',
      'companies house number',
    ],
  ],
  [
    'business.registered_address',
    'address',
    [
      'registered address',
      'registered office',
      'registered office address',
      'business address',
      'company address',
      ['address', 0.8],
    ],
  ],
  [
    'business.phone',
    'phone',
    ['phone', 'phone number', 'telephone', 'telephone number', 'business phone', 'tel', 'contact number'],
  ],
  ['business.email', 'email', ['email', 'e mail', 'email address', 'business email', 'contact email']],
  ['business.website', 'website', ['website', 'web site', 'web', 'website address', 'url', 'homepage']],
  [
    'business.founded_on',
    'date',
    [
      'incorporated on',
      'date of incorporation',
      'incorporation date',
      'date incorporated',
      'established',
      'date established',
      'founded',
      'founded on',
      'date business started',
      'business start date',
      'start date of business',
    ],
  ],
  [
    'business.employee_count',
    'count',
    [
      'employees',
      'number of employees',
      'no of employees',
      'employee count',
      'average number of employees',
      'headcount',
    ],
  ],
  [
    'business.legal_form',
    'text',
    ['entity type', 'type of entity', 'legal form', 'legal structure', 'business structure', 'business type'],
  ],
  [
    'business.annual_revenue',
    'amount',
    [
      'annual revenue',
      'total revenue',
      'total revenues',
      'gross receipts',
      'gross receipts or sales',
      'turnover',
      'annual turnover',
      'net sales',
      'annual sales',
      ['revenue', 0.9],
      ['total income', 0.9],
    ],
  ],
  [
    'business.annual_profit',
    'amount',
    [
      'net profit',
      'net profit or loss',
      'net profit loss',
      'net income',
      'net income loss',
      'profit after tax',
      'profit after taxation',
      'profit loss after tax',
      'profit for the year',
      'profit for the financial year',
      'ordinary business income',
      'ordinary business income loss',
      ['net profit before tax', 0.6],
      ['net income before tax', 0.6],
    ],
  ],
  [
    'business.bank_balance',
    'amount',
    [
      'closing balance',
      'ending balance',
      'balance carried forward',
      'new balance',
      ['bank balance', 0.95],
      ['current balance', 0.9],
      ['account balance', 0.9],
      ['average balance', 0.5],
      ['average daily balance', 0.5],
      ['average ledger balance', 0.5],
    ],
  ],
]

const infix = new Set(['doing business as', 'trading as', 'dba', 'd b a', 't a'])

const factLabels: readonly FactLabel[] = facts.flatMap(([fact, kind, labels]) =>
  labels.map((label): FactLabel => {
    const [text, weight] = typeof label === 'string' ? [label, 1] : label
    return { fact, kind, words: text.split(' '), weight, is_infix: infix.has(text) }
  }),
)

const byText = new Map(factLabels.map((label) => [label.words.join(' '), label]))
const byFirstWord = new Map<string, FactLabel[]>()
for (const label of factLabels) {
  const first = label.words[0] ?? ''
  const same = byFirstWord.get(first) ?? []
  same.push(label)
  // The longest first: 'gross receipts or sales' is not 'gross receipts'.
  byFirstWord.set(
    first,
    same.sort((a, b) => b.words.length - a.words.length),
  )
}

/** The label a text is, apart from case, punctuation, a line number before and a remark or currency behind it. */
export function exactLabel(text: string): FactLabel | undefined {
  if (text.length > 120) return undefined
  const words = wordsOf(text)
  if (words.length === 0 || words.length > 12) return undefined
  const whole = byText.get(words.join(' '))
  if (whole) return whole
  const bare = wordsOf(text.replace(/\([^()]*\)/g, ' '))
  if (isLineNumber(bare[0] ?? '')) bare.shift()
  if (currencies.has(bare.at(-1) ?? '')) bare.pop()
  return byText.get(bare.join(' '))
}

/** The label that begins at a word. */
export function labelAt(words: readonly string[], begin: number): FactLabel | undefined {
  for (const label of byFirstWord.get(words[begin] ?? '') ?? [])
    if (label.words.every((word, index) => words[begin + index] === word)) return label
  return undefined
}

/** Words as labels are compared: small letters and digits only. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** '1a', '22' or the letter of a box, as forms put before their labels. */
export function isLineNumber(text: string): boolean {
  return /^(\d{1,2}[a-z]?|[a-z])$/i.test(text)
}

const currencies = new Set(['usd', 'gbp', 'eur', 'cad', 'aud'])

/** Around a label inside a longer text: these words make something else of it. */
export const misleadingAfter = new Set(
  'tax taxes margin per ratio growth percent before account form test threshold from'.split(' '),
)
export const misleadingBefore = new Set(
  'average monthly weekly daily quarterly projected forecast budgeted expected estimated deferred other cost previous prior'.split(
    ' ',
  ),
)

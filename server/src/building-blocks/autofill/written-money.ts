// How money is written: signs, codes, and which currency and which mark of fractions a country has.

/** As they are written; a bare dollar may be any, and the country says which. */
export const currencySigns = new Map([
  ['US$', 'USD'],
  ['CA$', 'CAD'],
  ['C$', 'CAD'],
  ['AU$', 'AUD'],
  ['A$', 'AUD'],
  ['NZ$', 'NZD'],
  ['HK$', 'HKD'],
  ['S$', 'SGD'],
  ['MX$', 'MXN'],
  ['£', 'GBP'],
  ['€', 'EUR'],
  ['¥', 'JPY'],
  ['₹', 'INR'],
  ['Rs.', 'INR'],
  ['Rs', 'INR'],
  ['Fr.', 'CHF'],
  ['S/.', 'PEN'],
  ['S/', 'PEN'],
])

export const dollars = new Set(['USD', 'CAD', 'AUD', 'NZD', 'SGD', 'HKD', 'MXN', 'CLP', 'COP', 'ARS'])

/** Codes that documents are searched for; other words of three capitals are abbreviations. */
export const currencyCodes =
  'USD GBP EUR CAD AUD NZD CHF SEK NOK DKK HKD SGD ZAR INR MXN ARS CLP COP PEN BRL AED PLN CZK HUF RON JPY'.split(' ')

const euroCountries = 'AD AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MC ME MT NL PT SI SK SM VA'.split(' ')
export const currencyByCountry = new Map<string, string>([
  ...'US USD,GB GBP,CA CAD,AU AUD,CH CHF,LI CHF,NZ NZD,SG SGD,HK HKD,JP JPY,DK DKK,NO NOK,SE SEK,PL PLN,CZ CZK,MX MXN,CL CLP,CO COP,AR ARS,PE PEN,BR BRL,IN INR,ZA ZAR,AE AED,IS ISK,HU HUF,RO RON,IL ILS,KR KRW,TR TRY'
    .split(',')
    .map((pair) => [pair.slice(0, 2), pair.slice(3)] as const),
  ...euroCountries.map((country) => [country, 'EUR'] as const),
])

/** Where a comma begins the fraction. */
export const commaCountries = new Set([
  ...euroCountries.filter((country) => !['CY', 'IE', 'MT'].includes(country)),
  ...'AR BR CL CO CZ DK HU ID IS NO PL RO RS SE TR'.split(' '),
])

// A reason in one sentence: what the programme asks for, what is known, and how far it is from that, with the numbers.
import { counted } from '../../../platform/values/counted.ts'
import { dateOfDay } from './days.ts'
import { type Entry, type ListPredicate, type Predicate, type RangePredicate, unknown } from './predicates.ts'
import type { Fact, ProjectFacts } from './project-facts.ts'
import { labelOf, listText, moneyText, saidOnce, systemName, wordsFor } from './reason-words.ts'
import { type StatedRule, today } from './rules.ts'

interface Told {
  rule: Pick<StatedRule, 'id' | 'effect'>
  predicate: Predicate
  condition: Predicate | undefined
  /** What the comparison came to, and what the rule did. */
  own: number
  result: 'pass' | 'fail' | 'unknown' | 'not_applicable'
  facts: ProjectFacts
}

export function sentenceOf({ rule, predicate, condition, own, result, facts }: Told): string {
  const fact = facts[predicate.subject.number]
  if (predicate.form === 'range' && predicate.subject.name === today && fact) return windowSentence(predicate, fact)
  const asked = condition ? under(condition, opening(rule, predicate)) : opening(rule, predicate)
  switch (result) {
    case 'pass':
      return `${asked}; ${knownText(predicate, fact)}.`
    case 'fail':
      return `${asked}; ${knownText(predicate, fact)}${gapText(predicate, fact)}.`
    case 'not_applicable': {
      const { thing } = wordsFor(predicate.subject.name)
      const why = condition ? knownText(condition, facts[condition.subject.number]) : `${thing} is not stated`
      return `${asked}; ${why}, so this does not apply.`
    }
    case 'unknown': {
      if (own === unknown || !condition) return `${asked}; ${openText(predicate, fact)}.`
      const missing = openText(condition, facts[condition.subject.number])
      return `${asked}; ${knownText(predicate, fact)}${gapText(predicate, fact)}, but ${missing}.`
    }
  }
}

function opening({ id, effect }: Told['rule'], predicate: Predicate): string {
  if (id === 'program.amount') return `Offers ${valueText(predicate)}`
  if (id === 'program.term') return `Offers ${request(predicate)}`
  if (id === 'program.funding_type') return `Offers the funding type ${valueText(predicate)}`
  if (id === 'recipient.country') return `Serves businesses in ${valueText(predicate, 'and')}`
  const [asks, excludes] = effect === 'required' ? ['Requires', 'Excludes'] : ['Prefers', 'Prefers to avoid']
  return isExclusion(predicate) ? `${excludes} ${exclusion(predicate)}` : `${asks} ${request(predicate)}`
}

/** "For a business in California, requires …": what comes first is plainly no requirement itself. */
function under(condition: Predicate, asked: string): string {
  const circumstance = circumstanceOf(condition)
  return `${circumstance.charAt(0).toUpperCase()}${circumstance.slice(1)}, ${asked.charAt(0).toLowerCase()}${asked.slice(1)}`
}

function circumstanceOf(condition: Predicate): string {
  const { asks, thing, circumstance = 'with' } = wordsFor(condition.subject.name)
  if (condition.form === 'known') return `when ${statement(thing, 'is known')}`
  if (condition.form === 'missing') return `while ${statement(thing, 'is not known')}`
  if (isExclusion(condition)) return `except ${circumstance} ${exclusion(condition)}`
  return isUnwanted(condition) ? `without ${asks}` : `${circumstance} ${request(condition)}`
}

/** "the term is known", "it is known whether there was a bankruptcy". */
function statement(thing: string, verb: string): string {
  return thing.startsWith('whether') ? `it ${verb} ${thing}` : `${thing} ${verb}`
}

function isExclusion({ form, subject }: Predicate): boolean {
  return form === 'none' && subject.measure !== 'boolean'
}

/** "at least 24 months in business", "no bankruptcy". */
function request(predicate: Predicate): string {
  const { asks, asksPrefix = asks, thing } = wordsFor(predicate.subject.name)
  if (predicate.form === 'known') return `an answer on ${thing}`
  if (predicate.form === 'missing') return `no answer on ${thing}`
  if (predicate.form !== 'range' && predicate.subject.measure === 'boolean')
    return isUnwanted(predicate) ? `no ${asks.replace(/^an? /, '')}` : asks
  return filled(hasPrefixes(predicate) ? asksPrefix : asks, valueText(predicate))
}

/** Whether it must not be so, of what is either so or not. */
function isUnwanted(predicate: Predicate): boolean {
  if (predicate.subject.measure !== 'boolean' || !('entries' in predicate)) return false
  return predicate.entries.some(({ key }) => key === 'true') !== (predicate.form === 'any')
}

function exclusion(predicate: Predicate): string {
  const { excludes, excludesPrefix = excludes } = wordsFor(predicate.subject.name)
  return filled(hasPrefixes(predicate) ? excludesPrefix : excludes, valueText(predicate))
}

function hasPrefixes(predicate: Predicate): boolean {
  return predicate.form !== 'range' && predicate.entries.some(({ match }) => match === 'prefix')
}

/** "at least 24 months", "Canada or Germany". */
function valueText(predicate: Predicate, word: 'and' | 'or' = predicate.form === 'all' ? 'and' : 'or'): string {
  return predicate.form === 'range' ? boundsText(predicate) : entriesText(predicate, word)
}

function boundsText(predicate: RangePredicate): string {
  const { low, high, subject, currency } = predicate
  const shown = (value: number) => numberText(predicate, value, currency)
  const isDate = subject.measure === 'date'
  if (low === Number.NEGATIVE_INFINITY) return `${isDate ? 'on or before' : 'at most'} ${shown(high)}`
  if (high === Number.POSITIVE_INFINITY) return `${isDate ? 'on or after' : 'at least'} ${shown(low)}`
  if (low === high) return isDate ? `on ${shown(low)}` : shown(low)
  if (isDate) return `between ${shown(low)} and ${shown(high)}`
  // "12 to 60 months": the unit once is enough.
  return `${wordsFor(subject.name).unit ? low : shown(low)} to ${shown(high)}`
}

function entriesText(predicate: ListPredicate, word: 'and' | 'or'): string {
  return listText(saidOnce(predicate.entries.map((entry) => entryText(predicate, entry))), word)
}

function entryText({ subject }: ListPredicate, { match, kind, key }: Entry): string {
  const { measure, criterion } = subject
  if (measure === 'industry') return kind === '' ? key : `${key} (${systemName(kind)})`
  if (measure === 'date') return `on ${dateOfDay(Number(key))}`
  if (measure === 'text' || measure === 'list') return match === 'prefix' ? key : labelOf(criterion, key)
  return numberText({ subject }, Number(key), kind)
}

/** What is known: "this business has 19". */
function knownText({ subject }: Predicate, fact: Fact | undefined): string {
  const { name, criterion, measure } = subject
  const { has, hasNot = has, hasLost = has, hasZero = has, thing } = wordsFor(name)
  if (!fact) return statement(thing, 'is not known yet')
  switch (measure) {
    case 'boolean':
      return fact.key === 'true' ? has : hasNot
    case 'list': {
      const labels = fact.list.map((one) => labelOf(criterion, one))
      return labels.length === 0 ? hasNot : filled(has, listText(saidOnce(labels), 'and'))
    }
    case 'text':
      return filled(has, labelOf(criterion, fact.key))
    case 'industry':
      return filled(has, `${fact.key} (${systemName(fact.kind)})`)
    default: {
      if (!Number.isFinite(fact.number)) return hasNot
      if (fact.number === 0 && hasZero !== has) return hasZero
      const [template, shown] =
        fact.number < 0 ? [hasLost, hasLost === has ? fact.number : -fact.number] : [has, fact.number]
      return filled(template, numberText({ subject }, shown, fact.kind), shown)
    }
  }
}

/** Why it is not decided: nothing is known, or what is known does not compare. */
function openText(predicate: Predicate, fact: Fact | undefined): string {
  const kinds =
    predicate.form === 'range' ? [predicate.currency] : predicate.entries.map(({ kind }) => kind).filter(Boolean)
  const other = fact && kinds.find((kind) => kind !== fact.kind)
  if (!fact || other === undefined) return knownText(predicate, fact)
  const reason =
    predicate.subject.measure === 'money'
      ? `amounts in ${fact.kind} and ${other} cannot be compared`
      : `codes of ${systemName(fact.kind)} and ${systemName(other)} cannot be compared`
  return `${knownText(predicate, fact)}, and ${reason}`
}

/** ": 5 months short". */
function gapText(predicate: Predicate, fact: Fact | undefined): string {
  if (predicate.form !== 'range' || !fact || !Number.isFinite(fact.number)) return ''
  const { subject, low, high } = predicate
  const isShort = fact.number < low
  const distance = Math.abs(fact.number - (isShort ? low : high))
  const { short, over, unit, gapUnit = unit } = wordsFor(subject.name)
  // Decimals kept as binary numbers would show where they are not exact.
  const number = Number(distance.toPrecision(12))
  const shown = gapUnit ? counted(number, gapUnit) : numberText(predicate, number, fact.kind)
  return `: ${filled(isShort ? short : over, shown)}`
}

function windowSentence({ low, high }: RangePredicate, { number }: Fact): string {
  if (number < low) return `Opens on ${dateOfDay(low)}, in ${counted(low - number, 'day')}.`
  if (number > high) return `Closed on ${dateOfDay(high)}, ${counted(number - high, 'day')} ago.`
  return Number.isFinite(high) ? `Open until ${dateOfDay(high)}.` : `Open since ${dateOfDay(low)}.`
}

function numberText({ subject }: Pick<Predicate, 'subject'>, value: number, currency: string): string {
  const { measure, name } = subject
  if (measure === 'money') return moneyText(value, currency)
  if (measure === 'date') return dateOfDay(value)
  if (measure === 'percent') return `${value} %`
  const { unit } = wordsFor(name)
  return unit ? counted(value, unit) : String(value)
}

function filled(template: string, text: string, number?: number): string {
  return template.replace('{}', () => text).replace('#', () => String(number ?? text))
}

// The values of criteria that are known from elsewhere: the record of the business, and what the client has submitted.
// Facts have the names that questions ask for them by (`maps_to`): `project.<criterion>` and `business.<criterion>`.
import { requireContract } from '../../../building-blocks/questionnaires/load-questionnaire.ts'
import { findLastSubmission } from '../../../building-blocks/questionnaires/submissions/queries.ts'
import type { Context } from '../../../platform/context.ts'
import type { Connection } from '../../../platform/database/database.ts'
import { checkAgainst } from '../../../platform/protocol/validation.ts'
import { canonicalJson } from '../../../platform/values/canonical-json.ts'
import { isRegionOf } from '../../../platform/values/countries.ts'
import { businessFacts } from '../../businesses/facts.ts'
import { type BusinessRow, findBusiness } from '../../businesses/queries.ts'
import { findIntake, type IntakeRow } from '../../client-intake/queries.ts'
import type { CriterionValue, Suggestion } from './schema.ts'
import { valueProblems } from './value-problems.ts'
import { criteria } from './vocabulary.ts'

/** As they are stored: of a value that was set, also what its source said then. */
export type CriteriaValues = Record<string, CriterionValue & { instead_of?: unknown }>

/** What the criteria of a project can be filled from. */
interface Origins {
  business: BusinessRow | undefined
  intake: IntakeRow | undefined
}

interface KnownFact {
  fact: string
  value: unknown
  source: Suggestion['source']
  reference: string
  updated_at: string
}

export async function findOrigins(
  db: Connection,
  portalId: string,
  { business_id, intake_application_id }: { business_id: string; intake_application_id: string | null },
): Promise<Origins> {
  const [business, intake] = await Promise.all([
    findBusiness(db, portalId, business_id),
    intake_application_id === null ? undefined : findIntake(db, portalId, intake_application_id),
  ])
  return { business, intake }
}

/** Everything known, what the client has submitted before what the record says. */
export async function gatherFacts(
  db: Connection,
  context: Context,
  { business, intake }: Origins,
): Promise<KnownFact[]> {
  return [...(intake ? await factsOfIntake(db, context, intake) : []), ...(business ? factsOfBusiness(business) : [])]
}

/** The values of criteria that the facts give, each from the first fact that has a usable value. */
export function valuesFrom(facts: readonly KnownFact[], today: string): Map<string, Suggestion> {
  const found = new Map<string, Suggestion>()
  for (const { key, type } of criteria) {
    for (const name of [`project.${key}`, `business.${key}`]) {
      for (const { fact, value, source, reference, updated_at } of facts.filter((one) => one.fact === name)) {
        const usable = usableAs(key, type === 'choices' && !Array.isArray(value) ? [value] : value, today)
        if (usable !== undefined && !found.has(key))
          found.set(key, { key, value: usable, source, source_detail: { reference, fact }, updated_at })
      }
    }
  }
  const [country, region] = [found.get('country')?.value, found.get('region')?.value]
  // From two sources that do not agree: the country is needed, the region is not.
  if (typeof region === 'string' && !isRegionOf(region, String(country))) found.delete('region')
  return found
}

/** Values that their sources have now and the criteria do not: never written over what is there, only shown beside it. */
export function suggestionsFor(values: CriteriaValues, facts: readonly KnownFact[], today: string): Suggestion[] {
  return [...valuesFrom(facts, today).values()].filter(({ key, value }) => {
    const held = values[key]
    if (!held) return true
    if (canonicalJson(held.value) === canonicalJson(value)) return false
    // What somebody has set stands until its source says something new.
    return held.source !== 'api' || canonicalJson(held.instead_of ?? null) !== canonicalJson(value)
  })
}

function factsOfBusiness(business: BusinessRow): KnownFact[] {
  const facts = businessFacts(business)
  const address = facts.find(({ fact }) => fact === 'business.registered_address')?.value
  const postal_code =
    typeof address === 'object' && address !== null && 'postal_code' in address ? address.postal_code : undefined
  return [...facts, ...(postal_code ? [{ fact: 'business.postal_code', value: postal_code }] : [])].map(
    ({ fact, value }) => ({
      fact,
      value,
      source: 'business',
      reference: business.id,
      updated_at: business.updated_at,
    }),
  )
}

/** Restricted answers stay where they are sealed. */
async function factsOfIntake(db: Connection, context: Context, intake: IntakeRow): Promise<KnownFact[]> {
  const submission = await findLastSubmission(db, context.vault, intake.portal_id, intake.id)
  if (!submission) return []
  const { model, restricted } = await requireContract(db, intake)
  return submission.content.answers.flatMap(({ question_key, state, value }) => {
    const fact = model.questions.get(question_key)?.maps_to
    return fact && state === 'answered' && !restricted.has(question_key)
      ? [
          {
            fact,
            value,
            source: 'client_intake_application' as const,
            reference: intake.id,
            updated_at: submission.submitted_at,
          },
        ]
      : []
  })
}

/** The value, if it has the form of the criterion. */
function usableAs(key: string, value: unknown, today: string): unknown {
  if ((checks.get(key)?.(value) ?? [undefined]).length > 0) return undefined
  return valueProblems({ [key]: value }, { [key]: value }, today).length > 0 ? undefined : value
}

const checks = new Map(criteria.map(({ key, schema }) => [key, checkAgainst(schema)]))

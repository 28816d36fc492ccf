import type { Caller } from '../../platform/context.ts'
import type { Connection } from '../../platform/database/database.ts'
import type { Application } from '../questionnaires/application-kind.ts'
import { completeQuestionnaire } from '../questionnaires/load-questionnaire.ts'
import { type Questionnaire, reviewAsOfVersion } from '../questionnaires/questionnaire.ts'
import type { GivenValue } from '../questionnaires/sheet.ts'
import { type Fact, isRestricted } from './facts.ts'
import type { Knowledge } from './knowledge.ts'

/** What was answered in other applications of the same business to questions that mean the same. */
export async function factsOfEarlierAnswers(
  db: Connection,
  caller: Caller,
  knowledge: Knowledge,
  application: Application,
): Promise<Fact[]> {
  const others = await knowledge.otherApplications(db, application)
  const facts: Fact[] = []
  for (const [age, other] of others.entries()) {
    facts.push(...factsIn(await completeQuestionnaire(db, caller, other.kind, other), age))
  }
  return facts
}

/** What was asked there and answered: hidden answers are kept, but nobody stands by them. */
function factsIn(questionnaire: Questionnaire, age: number): Fact[] {
  const { application, contract, sheet } = questionnaire
  const { evaluation } = reviewAsOfVersion(questionnaire)
  const factOf = (fact: string, given: GivenValue, is_restricted: boolean, row?: number): Fact => ({
    fact,
    value: given.value,
    source: 'previous_applications',
    reference: application.id,
    confidence: Math.max(0.3, (given.confirmed ? 0.9 : 0.6) - 0.05 * age),
    is_restricted,
    ...(row !== undefined && { row }),
  })
  const facts: Fact[] = []
  for (const question of contract.model.contract.questions) {
    const { key, maps_to, type, questions = [] } = question
    if (!evaluation.isVisible(key)) continue
    if (type === 'group') {
      for (const [row, item] of (sheet.items.get(key) ?? []).entries()) {
        for (const inner of questions) {
          const given = item.values.get(inner.key)
          if (inner.maps_to && given?.state === 'answered')
            facts.push(factOf(inner.maps_to, given, isRestricted(inner, question), row))
        }
      }
      continue
    }
    const answer = sheet.answers.get(key)
    if (maps_to && answer?.state === 'answered') facts.push(factOf(maps_to, answer, isRestricted(question)))
  }
  return facts
}

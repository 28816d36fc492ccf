// What crosses the wall with a submission: its answers and files, and those of them that are facts about the business. The
// sender can see which of them went to whom, and when.
import type { KnownContract } from '../../building-blocks/contracts/known-contracts.ts'
import type { SubmissionContent } from '../../building-blocks/questionnaires/submissions/queries.ts'
import type { Tx } from '../../platform/database/database.ts'
import { newId } from '../../platform/values/ids.ts'
import type { DealRow } from '../deals/queries.ts'
import { insertDisclosure } from '../deals/timeline-queries.ts'
import type { Opened } from './acting.ts'

/** Notes what the recipient receives. What changes in the deal: the facts it shows, and the application it names. */
export async function shareSubmission(
  tx: Tx,
  { application, deal }: Opened,
  {
    contract: { model, restricted },
    submission,
    content,
  }: { contract: KnownContract; submission: { number: number; submitted_at: string }; content: SubmissionContent },
): Promise<Partial<DealRow>> {
  const answered = content.answers.filter(({ state }) => state === 'answered')
  const mapped = answered.flatMap(({ question_key, value }) => {
    const fact = model.questions.get(question_key)?.maps_to
    return fact ? [{ fact, value, isRestricted: restricted.has(question_key) }] : []
  })
  const { received } = deal
  if (received)
    await insertDisclosure(tx, {
      portal_id: deal.portal_id,
      deal_id: deal.id,
      id: newId('dsc'),
      at: submission.submitted_at,
      recipient_portal_id: deal.recipient_portal_id,
      application_id: application.id,
      submission_number: submission.number,
      facts: [...new Set(mapped.map(({ fact }) => fact))].sort(),
      question_keys: [
        ...answered.map(({ question_key }) => question_key),
        ...new Set(content.items.map(({ group_key }) => group_key)),
      ],
      file_ids: content.files.map(({ id }) => id),
    })
  const facts = mapped.filter(({ fact, isRestricted }) => fact.startsWith('business.') && !isRestricted)
  return {
    shared_business: {
      ...deal.shared_business,
      facts: Object.fromEntries(facts.map(({ fact, value }) => [fact, value])),
    },
    ...(received && {
      received: { ...received, application_ids: [...new Set([...received.application_ids, application.id])] },
    }),
  }
}

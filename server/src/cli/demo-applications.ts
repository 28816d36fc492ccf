// Client intake applications at different stages, as a Portal has them on any day.

import type { BusinessRow } from '../areas/businesses/queries.ts'
import {
  createIntake,
  decideIntake,
  returnIntake,
  submitIntake,
  withdrawIntake,
} from '../areas/client-intake/commands.ts'
import { clientIntake } from '../areas/client-intake/kind.ts'
import type { AnswerWrite } from '../building-blocks/questionnaires/answers/changes.ts'
import { writeAnswers } from '../building-blocks/questionnaires/answers/commands.ts'
import { addItem } from '../building-blocks/questionnaires/items/commands.ts'
import type { Caller } from '../platform/context.ts'
import type { Tx } from '../platform/database/database.ts'
import { demoDocuments } from './demo-documents.ts'
import { uploadDemoFile } from './demo-uploads.ts'

/** What a short enquiry asks: complete without documents, so that the demo has finished applications too. */
export const demoEnquiry = {
  key: 'quick_enquiry',
  kind: 'client_intake',
  title: 'Quick enquiry',
  locale: 'en-US',
  sections: [{ key: 'enquiry', title: 'Your enquiry' }],
  questions: [
    {
      key: 'legal_name',
      section: 'enquiry',
      type: 'text',
      label: 'Registered name',
      required: true,
      maps_to: 'business.legal_name',
      autofill: { sources: ['business', 'previous_applications'] },
    },
    {
      key: 'amount_requested',
      section: 'enquiry',
      type: 'money',
      label: 'How much do you need?',
      required: true,
      maps_to: 'project.amount_requested',
      validation: { min: '1000' },
    },
    {
      key: 'purpose',
      section: 'enquiry',
      type: 'single_choice',
      label: 'What for?',
      required: true,
      maps_to: 'project.use_of_funds',
      options: [
        { value: 'working_capital', label: 'Working capital' },
        { value: 'equipment', label: 'Equipment' },
        { value: 'real_estate', label: 'Property' },
      ],
    },
    {
      key: 'message',
      section: 'enquiry',
      type: 'long_text',
      label: 'Anything we should know?',
      maps_to: 'project.description',
    },
    { key: 'is_true', section: 'enquiry', type: 'declaration', label: 'What I say here is true.', required: true },
  ],
} as const

const money = (amount: string, currency = 'USD') => ({ amount, currency })

/** About half of the long intake. */
const halfAnswered: readonly AnswerWrite[] = [
  { question_key: 'legal_name', value: 'Lee Bakery LLC' },
  { question_key: 'legal_form', value: 'llc' },
  { question_key: 'country', value: 'US' },
  { question_key: 'region', value: 'US-CA' },
  { question_key: 'tax_id', value: '10-3456789' },
  { question_key: 'employee_count', value: 12 },
  { question_key: 'founded_on', value: '2016-03-01' },
  { question_key: 'business_model', value: 'A bakery with a shop and deliveries to twenty restaurants.' },
  { question_key: 'website', state: 'declined' },
  { question_key: 'premises', value: 'rented' },
  { question_key: 'rent', value: money('4200.00') },
  { question_key: 'amount_requested', value: money('85000.00') },
  { question_key: 'purpose', value: 'equipment' },
  { question_key: 'purpose_detail', value: 'A second deck oven and a spiral mixer.' },
  { question_key: 'term_months', value: 48 },
  { question_key: 'products', value: ['term_loan', 'asset_finance'] },
  { question_key: 'annual_revenue', value: money('1250000.50') },
  { question_key: 'has_debts', value: false },
]

export interface Enquiry {
  title?: string
  amount: string
  purpose: string
  message?: string
}

/** A short enquiry, answered and submitted. */
export async function submitEnquiry(
  tx: Tx,
  caller: Caller,
  { id: business_id, legal_name }: BusinessRow,
  contract_id: string,
  { title = 'Quick enquiry', amount, purpose, message }: Enquiry,
): Promise<{ application_id: string; ifMatch: null }> {
  const { id } = await createIntake(tx, caller, { business_id, title, contract_id })
  const target = { application_id: id, ifMatch: null }
  const answers: AnswerWrite[] = [
    { question_key: 'legal_name', value: legal_name },
    { question_key: 'amount_requested', value: money(amount) },
    { question_key: 'purpose', value: purpose },
    ...(message ? [{ question_key: 'message', value: message }] : []),
    { question_key: 'is_true', value: true },
  ]
  await writeAnswers(tx, caller, clientIntake, target, answers)
  await submitIntake(tx, caller, target)
  return target
}

export async function createDemoApplications(
  tx: Tx,
  caller: Caller,
  businesses: readonly BusinessRow[],
  enquiryId: string,
): Promise<void> {
  const [bakery, machining, landscaping, dental, solar, furniture, storage, childcare] = businesses
  if (!bakery || !machining || !landscaping || !dental || !solar || !furniture || !storage || !childcare) return
  const target = (application_id: string) => ({ application_id, ifMatch: null })
  const begin = async ({ id }: BusinessRow, title: string) =>
    target((await createIntake(tx, caller, { business_id: id, title })).id)

  const oven = await begin(bakery, 'Loan for a second oven')
  await writeAnswers(tx, caller, clientIntake, oven, halfAnswered)
  const owner = { first_name: 'Ann', last_name: 'Lee', role: 'both', ownership_percent: 60, birth_date: '1981-02-14' }
  await addItem(tx, caller, clientIntake, { ...oven, group_key: 'owners' }, { values: owner })

  const milling = await begin(machining, 'New milling centre')
  await writeAnswers(tx, caller, clientIntake, milling, [{ question_key: 'country', value: 'US' }])
  for (const document of demoDocuments())
    await uploadDemoFile(tx, caller, clientIntake, milling.application_id, document)

  const finish = (business: BusinessRow, amount: string, purpose: string) =>
    submitEnquiry(tx, caller, business, enquiryId, { amount, purpose })
  await finish(landscaping, '40000.00', 'equipment')
  await finish(furniture, '60000.00', 'working_capital')
  await finish(storage, '250000.00', 'real_estate')
  await finish(childcare, '25000.00', 'equipment')
  await decideIntake(tx, caller, await finish(dental, '150000.00', 'real_estate'), 'accept', {
    message: 'We will be in touch.',
  })
  const message = 'Is the amount for one year or for two?'
  await returnIntake(tx, caller, await finish(solar, '900000.00', 'working_capital'), {
    message,
    question_keys: ['amount_requested'],
  })
  await withdrawIntake(tx, caller, await begin(bakery, 'Begun by mistake'))
}

/** What the test documents say of a business. Texts are as they stand on paper. */
export interface SampleBusiness {
  legal_name: string
  trading_name: string
  tax_id: string
  registration_number: string
  address: readonly string[]
  phone: string
  email: string
  website: string
  founded_on: string
  employee_count: string
  legal_form: string
  /** The latest year first. */
  years: readonly { year: number; revenue: string; profit: string }[]
  closing_balance: string
  owners: readonly SampleOwner[]
}

interface SampleOwner {
  first_name: string
  last_name: string
  role: string
  ownership_percent: string
  email: string
  birth_date: string
}

export const sampleBusiness: SampleBusiness = {
  legal_name: 'Harbor Lane Bakery, LLC',
  trading_name: 'Best Bread on the Quay',
  tax_id: '47-1928374',
  registration_number: 'SC482913',
  address: ['118 Harbor Lane', 'Suite 4B', 'Portland, ME 04101'],
  phone: '+1 (207) 555-0142',
  email: 'accounts@harborlane.example',
  website: 'www.harborlane.example',
  founded_on: '31/03/2019',
  employee_count: '23',
  legal_form: 'Limited liability company',
  years: [
    { year: 2025, revenue: '1,250,000', profit: '(48,210)' },
    { year: 2024, revenue: '1,104,500', profit: '61,004' },
  ],
  closing_balance: '$84,310.27',
  owners: [
    {
      first_name: 'Ann',
      last_name: 'Lee',
      role: 'Director',
      ownership_percent: '60%',
      email: 'ann@harborlane.example',
      birth_date: '14/02/1981',
    },
    {
      first_name: 'Jan',
      last_name: 'van der Berg',
      role: 'Head baker',
      ownership_percent: '40%',
      email: 'jan@harborlane.example',
      birth_date: '02/11/1977',
    },
  ],
}

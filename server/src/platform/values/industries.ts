// Industries by the codes of the systems people use for them.
import { type Static, Type } from 'typebox'

/** The form of the codes of each system. */
export const industryForms = {
  naics_2022: /^[1-9][0-9]{1,5}$/,
  sic_2007: /^[0-9]{2,5}$/,
  nace_2: /^([A-U]|[0-9]{2}(\.[0-9]{1,2})?)$/,
} as const

export const Industry = Type.Object(
  {
    // safe because they are the names of the forms
    system: Type.Enum(Object.keys(industryForms) as (keyof typeof industryForms)[], {
      description: 'The classification system of the code.',
    }),
    code: Type.String({
      minLength: 1,
      maxLength: 8,
      description: 'A code of that system. Only its format is checked.',
      examples: ['722511'],
    }),
  },
  { title: 'Industry', additionalProperties: false },
)
export type Industry = Static<typeof Industry>

/** Whether the code has the form of its system. */
export function isIndustryCode({ system, code }: Industry): boolean {
  return industryForms[system].test(code)
}

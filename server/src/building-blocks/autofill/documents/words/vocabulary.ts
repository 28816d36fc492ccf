// The words documents use for what they are, whom they are about and what they call things.
import en from './en.json' with { type: 'json' }
import { type Language, languages, phrasesOf, setOf } from './languages.ts'
import legalFormKinds from './legal-form-kinds.json' with { type: 'json' }
import { createPhrases, namesIn, type Phrases, wordsOf } from './phrases.ts'

export interface Label {
  fact: string
  /** `likely` labels often mean something else: they count only where the rest of the document agrees. */
  certainty: 'sure' | 'likely'
  /** A positive number behind it is a loss. */
  is_loss: boolean
  /** A `likely` label that counts where no fuller one stands: `Sales`, `Start of trading`. */
  is_plain: boolean
}

const losses = setOf((words) => words.losses)
const plainLabels = setOf((words) => words.plain_labels)

export const labels: Phrases<Label[]> = createPhrases(() =>
  languages.flatMap((words) =>
    Object.entries(words.labels).flatMap(([fact, { sure, likely }]) =>
      [
        ...sure.flatMap(namesIn).map((name) => [name, 'sure'] as const),
        ...(likely as string[]).flatMap(namesIn).map((name) => [name, 'likely'] as const), // safe because JSON lists hold texts
      ].map(([name, certainty]) => {
        const label: Label = { fact, certainty, is_loss: losses.has(name), is_plain: plainLabels.has(name) }
        return [name, label] as const
      }),
    ),
  ),
)

interface LabelWords {
  fact: string
  /** One of them is what is asked for, another one says that it is the business's. */
  heads: Set<string>
  sure: Set<string>
  own: Set<string>
}

/** The words labels are made of, for those that no list has in their order. */
export const labelWords: LabelWords[] = languages.flatMap((words) =>
  Object.entries(words.label_words).map(([fact, { heads, sure, also }]) => {
    const own = (texts: readonly string[]) => new Set(texts.flatMap(wordsOf))
    return { fact, heads: own(heads), sure: own(sure), own: own([...heads, ...sure, ...also]) }
  }),
)

/** The heads of e-mails, the words before what an e-mail answers to, and what its writer calls himself, herself and others. */
export const mails = {
  from: setOf((words) => words.mails.from),
  to: setOf((words) => words.mails.to),
  headers: setOf((words) => words.mails.headers),
  wrote: setOf((words) => words.mails.wrote),
  quoted: setOf((words) => words.mails.quoted),
  self: setOf((words) => words.mails.self),
  kin: phrasesOf((words) => words.mails.kin),
}

/** The sentence of accounts on those employed. */
export const averageEmployees = {
  openings: phrasesOf((words) => words.average_employees.openings),
  /** Right before the number. */
  verbs: setOf((words) => words.average_employees.verbs),
  /** Right behind it. */
  counted: setOf((words) => words.average_employees.counted),
  /** It is about those of a group or of another year. */
  others: setOf((words) => words.average_employees.others),
  averages: phrasesOf((words) => words.average_employees.averages),
  /** A heading with one of them is over numbers of people. */
  counting: phrasesOf((words) => words.average_employees.counting),
  /** Over the first column of a table of them. */
  groups: setOf((words) => words.average_employees.groups),
  /** Some count them, others do not. */
  trainees: setOf((words) => words.average_employees.trainees),
}

/** They end the captions of boxes for numbers. */
export const numberWords = setOf((words) => words.number_words)

/** As they are written: `A` may be part of a name. */
export const articles = new Set(languages.flatMap((words) => words.articles))

const misleading = phrasesOf((words) => words.misleading)
const allowed = new Map<string, Set<string>>()
for (const words of languages)
  for (const [fact, texts] of Object.entries(words.misleading_allowed))
    for (const name of (texts as string[]).flatMap(namesIn)) // safe because JSON lists hold texts
      allowed.set(fact, (allowed.get(fact) ?? new Set()).add(name))

/** Whether words around the label from `begin` make something else of it: `cost of`, `margin`, `before tax`. */
export function isMisled(fact: string, words: readonly string[], begin: number, length: number): boolean {
  for (let at = 0; at < words.length; at++) {
    const found = misleading.at(words, at)
    if (!found) continue
    const isInside = at >= begin && at + found.length <= begin + length
    const isAllowed = allowed.get(fact)?.has(words.slice(at, at + found.length).join(' '))
    if (!isInside && !isAllowed) return true
    // `incl. part time`: the words of what is allowed mislead no more.
    if (isAllowed) at += found.length - 1
  }
  return false
}

/** What a year comes to, good or bad. */
export const resultWords = setOf((words) => words.result_words)
export const qualifiers = setOf((words) => words.qualifiers)
/** How a form goes on behind a label: `Subtract line 21 from line 6`. */
export const instructions = phrasesOf((words) => words.instructions)
/** `Turnover (per shop)`, `Revenue (from all four companies)`: brackets that begin with them speak of a part of the business, or of more. */
export const limits = phrasesOf((words) => words.limits)
/** `Revenue 2025 (per tax return)` */
export const takenFrom = phrasesOf((words) => words.taken_from)
export const proseWords = setOf((words) => words.prose)
export const totals = setOf((words) => words.totals)
/** Below them stand figures of one owner, not of the business. */
export const shareHeadings = phrasesOf((words) => words.share_headings)
/** In the label of an address: where the business is registered, not where it works. */
export const registeredWords = phrasesOf((words) => words.registered_words)
/** In the label of a day: when the business came into being, and when a register took it up. */
export const foundingWords = setOf((words) => words.founding_words)
export const registrationWords = setOf((words) => words.registration_words)
/** In the label of a number: it is the one for that tax alone. */
export const salesTaxes = phrasesOf((words) => words.sales_tax_words)
/** In the first lines of what is about the registration of something else than the business. */
export const otherRegisters = phrasesOf((words) => words.other_registers)
/** `6 (plus about 140 volunteers)` */
export const additions = phrasesOf((words) => words.additions)
/** Among the parts of a number of employees: they are no part of it. */
export const notEmployed = phrasesOf((words) => words.not_employed)
/** In a label: of all there is, not of a part. */
export const totalWords = phrasesOf((words) => words.total_words)
/** At the beginning of a bracket: of what was counted before. */
export const parts = phrasesOf((words) => words.parts)
/** At the beginning or the end of a heading: what held once. */
export const formerHeadings = setOf((words) => words.former_headings)
/** In a heading: what holds today. */
export const currentWords = setOf((words) => words.current_words)
/** In the label of a phone: it is carried about, often by a person. */
export const mobileWords = setOf((words) => words.mobile_words)
/** Before what only shows how something is written. */
export const examples = phrasesOf((words) => words.examples)
/** What only a person has. */
export const personalWords = phrasesOf((words) => words.personal_words)
/** In the label of an address: where a person lives. */
export const homeWords = setOf((words) => words.home_words)
/** In the label of a figure: it may be that of a person. */
export const personalIncome = setOf((words) => words.personal_income)
/** Headings of columns that say nothing of what stands below them. */
export const tableHeads = setOf((words) => words.table_heads)
export const references = setOf((words) => words.references)
export const nothing = setOf((words) => words.nothing)
export const vague = phrasesOf((words) => words.vague)
export const letters = phrasesOf((words) => words.letters)
/** What an account holds. */
export const accountBalances = phrasesOf((words) => words.account_balances)
/** How somebody asks for the owners. */
export const ownerQuestions = phrasesOf((words) => words.owner_questions)
/** What is left of the sales: `Gross profit` */
export const grossResults = phrasesOf((words) => words.gross_results)
/** What is to be paid: a bill, or a card. */
export const bills = phrasesOf((words) => words.bills)
export const statements = phrasesOf((words) => words.statements)
export const statementTitles = phrasesOf((words) => words.statement_titles)
/** At the end of a heading: what is told below it, and no name. */
export const sectionWords = setOf((words) => words.section_words)
/** In a label: how many there were on the last day, not in all of the time. */
export const atEndOf = phrasesOf((words) => words.at_end_of)
/** Between the name a business trades under and its legal name. */
export const tradingOf = phrasesOf((words) => words.trading_of)
/** They point at something that has been named, and are no names. */
export const demonstratives = setOf((words) => words.demonstratives)
/** Above a list of shares: it is one of shares that change hands, or of some of them. */
export const notHoldings = setOf((words) => words.not_holdings)
/** Headings of columns that add up those of the companies beside them. */
export const groupColumns = setOf((words) => words.group_columns)
/** Labels of how many shares there are. */
export const issuedShares = setOf((words) => words.issued_shares)
/** Between a name and what it is the name of: `Lee Bakery Ltd is a private company`. */
export const isA = phrasesOf((words) => words.is_a)
/** What accounts call the company they are about. */
export const theCompany = setOf((words) => words.the_company)
/** What forms call the part that is about the business itself, after one about somebody else. */
export const clientSections = phrasesOf((words) => words.client_sections)
/** Kinds of companies that forms and registers know, which look like names. */
export const namelessKinds = phrasesOf((words) => words.nameless_kinds)
/** Words in the names of those who keep books for others, or look at them. */
export const preparers = setOf((words) => words.preparers)
/** Who keeps the register a number is of. */
export const courts = phrasesOf((words) => words.courts)
/** Those that give businesses their tax numbers. */
export const taxOffices = phrasesOf((words) => words.tax_offices)
/** What a tax office calls what it has found a business to owe. */
export const assessments = phrasesOf((words) => words.assessments)
/** What an insurer calls what it certifies of a business. */
export const insurances = phrasesOf((words) => words.insurances)
/** What registers and authorities call what they certify about a business. */
export const registers = phrasesOf((words) => words.registers)
/** In the title of what a notary wrote down. */
export const deeds = setOf((words) => words.deeds)
/** A certificate that is dated on the day of the foundation. */
export const incorporatedToday = phrasesOf((words) => words.incorporated_today)
/** In extracts of registers, right before the day of the foundation. */
export const foundedWords = phrasesOf((words) => words.founded_words)
/** Titles of what a company keeps about its owners: it begins with the company. */
export const memberRegisters = phrasesOf((words) => words.member_registers)
/** In the label of a name: whose account it is. */
export const accountWords = phrasesOf((words) => words.account_words)
/** Those who work all day, and those who do not. */
export const workingHours = {
  full: phrasesOf((words) => words.working_hours.full),
  part: phrasesOf((words) => words.working_hours.part),
}
/** What a register may call its number, and others theirs. */
export const registerTerms = phrasesOf((words) => words.register_terms)
/** In extracts of registers, the whole label of the day of the foundation. */
export const registerDays = setOf((words) => words.register_days)
/** Among the reasons for which a business was registered: it had been somebody else's before. */
export const takeovers = phrasesOf((words) => words.takeovers)
/** How the clauses of a deed are counted, in words. */
export const clauses = setOf((words) => words.clauses)
/** The label of what all owners have put in. */
export const capitalWords = setOf((words) => words.capital)
/** In a label: the name of a business, not of a person. */
export const businessWords = phrasesOf((words) => words.business_words)
/** In the title of a page: its figures are those of a group. */
export const consolidated = phrasesOf((words) => words.consolidated)
export const groupParts = phrasesOf((words) => words.group_parts)
/** From the first to the thirty-first. */
export const spelledDays = en.spelled_days.map((text) => wordsOf(text).join(' '))
export const legalForms = phrasesOf((words) => words.legal_forms)
/** Which kind of company a legal form is of: nobody mixes up those of two kinds; `Ltd` and `Pty Ltd` are often written for each other. */
export const kindsOfForms = new Map(
  legalFormKinds.flatMap((names, kind) => names.map((name) => [wordsOf(name).join(''), kind] as const)),
)
export const companyWords = phrasesOf((words) => words.company_words)

/** Words that say what a business is, outside of any label: `Return for an S Corporation`. */
export const legalFormPhrases = formsOf((words) => words.legal_form_phrases)
/** What a register calls a form; elsewhere the words may be about anybody. */
export const legalFormNames = formsOf((words) => words.legal_form_names)

function formsOf(choose: (words: Language) => Record<string, readonly string[]>) {
  return createPhrases(() =>
    languages.flatMap((words) =>
      Object.entries(choose(words)).flatMap(([form, texts]) =>
        texts.flatMap(namesIn).map((name) => [name, form] as const),
      ),
    ),
  )
}

/** Forms known by their title, and what the codes of their lines are about. */
export const codedForms = languages.flatMap((words) =>
  // safe because JSON lists hold this form
  (
    words.coded_forms as { titles: string[]; is_whole?: boolean; words?: string[]; lines: Record<string, string> }[]
  ).map(({ titles, is_whole = false, words: said = [], lines }) => ({
    titles: createPhrases(() => titles.flatMap(namesIn).map((name) => [name, true] as const)),
    /** The title stands on the first page only. */
    is_whole,
    /** What one of its lines says of itself, where the code alone may be anything. */
    said:
      said.length === 0 ? undefined : createPhrases(() => said.flatMap(namesIn).map((name) => [name, true] as const)),
    lines: new Map(Object.entries(lines)),
  })),
)

export const parties = {
  others: phrasesOf((words) => words.parties.others),
  client: phrasesOf((words) => words.parties.client),
  addressee: phrasesOf((words) => words.parties.addressee),
  /** Over the name of whoever has written an invoice. */
  issuer: setOf((words) => words.parties.issuer),
  signs: phrasesOf((words) => words.parties.author_signs),
}

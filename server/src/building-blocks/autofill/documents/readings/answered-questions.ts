// E-mails that answer below each question they were sent: `> 2. EIN?`, and `61-4408127` in the next line. The question
// becomes the label of its answer.
import { type Line, textOf } from '../formats/document-text.ts'
import { wordsOf } from '../words/phrases.ts'
import { ownerQuestions, parties as partyWords } from '../words/vocabulary.ts'
import { mentionsSubject, type Names, namesOf, type Subject } from './company-names.ts'
import { isLabel } from './labels.ts'
import { isFormer } from './person-names.ts'
import { type PlacedLine, placeOf, type ReadDocument } from './places.ts'

/** With fewer of them, what stands below a question may be anything. */
const fewest = 3
const longestQuestion = 160

interface Question {
  /** The lines that ask, and those that answer. */
  asked: PlacedLine[]
  answers: PlacedLine[]
  text: string
}

/** The document with labels for questions, and what was answered; undefined where none were. */
export function withAnswers(
  document: ReadDocument,
  subject: Subject,
): { document: ReadDocument; answers: string[] } | undefined {
  const names = namesOf(subject)
  const answers: string[] = []
  const pages = document.pages.map((page) => {
    const questions = questionsIn(page.lines)
    if (questions.length < fewest) return page
    const asked = new Set(questions.flatMap((question) => question.asked))
    const answered = new Map(questions.flatMap((question) => rowsOf(question, names)))
    const lines = page.lines.flatMap((line): PlacedLine[] => {
      const shown = { ...line, shown_at: line.shown_at ?? placeOf(line) }
      if (asked.has(line)) return [{ ...shown, cells: [], text: '' }]
      const rows = answered.get(line)
      return rows?.map((cells) => ({ ...shown, cells, text: textOf(cells) })) ?? [shown]
    })
    answers.push(...questions.flatMap((question) => question.answers.map(({ text }) => text)))
    // One answer may have become several lines; they are found by their number.
    return { ...page, lines: lines.map((line, index) => ({ ...line, number: index + 1 })) }
  })
  return answers.length > 0 ? { document: { ...document, pages }, answers } : undefined
}

function questionsIn(lines: readonly PlacedLine[]): Question[] {
  const found: Question[] = []
  for (let at = 0; at < lines.length; at++) {
    const asked: PlacedLine[] = []
    while (isQuoted(lines[at])) asked.push(lines[at++] as PlacedLine) // safe because it is quoted
    if (asked.length === 0) continue
    // An empty line may stand between.
    if (lines[at]?.cells.length === 0 && !isQuoted(lines[at])) at++
    const answers: PlacedLine[] = []
    while (lines[at] && !isQuoted(lines[at]) && (lines[at]?.cells.length ?? 0) > 0)
      answers.push(lines[at++] as PlacedLine) // safe because the line is there
    at--
    const text = asked
      .map((line) => line.text.replace(/^[>\s]+/, ''))
      .join(' ')
      .trim()
    if (answers.length > 0 && (text.includes('?') || numbered.test(text)) && text.length <= longestQuestion)
      found.push({ asked, answers, text })
  }
  return found.some(({ text }) => text.includes('?')) ? found : []
}

/** `4. Business address`: what is asked for without a question. */
const numbered = /^\(?\d{1,2}[.)]\s*/

function isQuoted(line: PlacedLine | undefined): boolean {
  return line?.text.startsWith('>') === true
}

/** What each line of an answer says with its question for a label. */
function rowsOf({ text, answers }: Question, names: Names): [PlacedLine, Line[]][] {
  const [question = ''] = text.replace(numbered, '').split('?')
  const labels = labelsIn(question)
  return answers.map((line, at): [PlacedLine, Line[]] => {
    if (isAboutOwners(question, names))
      return [line, at === 0 ? [[{ text: 'Owners', left: 0, right: 6 }], line.cells] : [line.cells]]
    const answer = line.text.trim()
    // `Phone: 555 0100` says itself what it is.
    const [, before = '', behind = ''] = /^([^:]{2,60}):\s+(\S.*)$/.exec(answer) ?? []
    if (before !== '' && isLabel(before)) return [line, [line.cells]]
    // `2025: $1,655,210` goes on with `Total sales`.
    const year = /^(?:FY\s?)?(?:19|20)\d\d\b/.test(before)
    if (year) return [line, [row(`${beginOf(withoutYears(labels[0] ?? ''))} ${before}`, behind)]]
    const [said = answer] = answer.split(/(?<=[\p{L}\d)]{2})\.\s+(?=\p{Lu}\p{Ll}+\s\p{L})/u)
    const parts = labels.length > 1 ? said.split(/,\s(?=\D)|\s[-–—]\s|;\s|\s\/\s/) : [said]
    if (at > 0) return [line, [line.cells]]
    const [first = ''] = labels
    if (parts.length < labels.length) return [line, isLabel(first) ? [row(first, said)] : [line.cells]]
    return [line, parts.map((part, index) => row(labels[index] ?? '', part))]
  })
}

/** `Business phone and website` asks twice; `name and address of the bank` once, for something that is not known. */
function labelsIn(question: string): string[] {
  const parts = question
    .split(/,?\s(?:and|und|et|y|sowie|&)\s|,\s/iu)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return parts.length > 1 && parts.some(isLabel) ? parts : [question]
}

/** `Who owns the company, and how much?`, but not `Owners of the building` or `Owners who left`. */
function isAboutOwners(question: string, names: Names): boolean {
  const bare = question.replace(/\([^()]*\)/g, ' ')
  const [asked = ''] = bare.split(/[,:;–]|\s-\s|\s(?:and|with|und|mit|et|avec|y|con)\s/iu)
  const words = wordsOf(asked)
  const at = words.findIndex((_, index) => ownerQuestions.at(words, index) !== undefined)
  if (at === -1) return false
  const behind = words.slice(at + (ownerQuestions.at(words, at)?.length ?? 0))
  const isOwn = partyWords.client.in(behind) !== undefined || mentionsSubject(asked, names)
  return behind.length === 0 || (isOwn && partyWords.others.in(behind) === undefined && !isFormer(asked))
}

function withoutYears(label: string): string {
  return label
    .replace(/\([^()]*\)|\b(?:19|20)\d\d\b/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** `Umsatz` of `Umsatz letztes volles Jahr`: what of it is a label. */
function beginOf(label: string): string {
  const words = label.split(' ')
  const lengths = words.map((_, at) => words.length - at)
  const known = lengths.find((length) => isLabel(words.slice(0, length).join(' ')))
  return words.slice(0, known).join(' ')
}

function row(label: string, value: string): Line {
  return [
    { text: label, left: 0, right: label.length },
    { text: value, left: label.length + 2, right: label.length + 2 + value.length },
  ]
}

// The words of all languages together: a document may mix them. A translator extends the JSON files, where `[annual|]
// [sales|turnover]` stands for every way of choosing one of what the bars keep apart.
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import es from './es.json' with { type: 'json' }
import fr from './fr.json' with { type: 'json' }
import { createPhrases, namesIn, type Phrases } from './phrases.ts'

export const languages = [en, de, fr, es]
export type Language = (typeof languages)[number]

export function setOf(choose: (words: Language) => readonly string[]): Set<string> {
  return new Set(languages.flatMap((words) => choose(words).flatMap(namesIn)))
}

export function phrasesOf(choose: (words: Language) => readonly string[]): Phrases<true[]> {
  return createPhrases(() =>
    languages.flatMap((words) =>
      choose(words)
        .flatMap(namesIn)
        .map((name) => [name, true as const] as const),
    ),
  )
}

// npm run messages: every sentence a user can meet, with its place, for reading them all in one list.
// Strings of the source that read like words: descriptions, errors, command line. `{…}` stands for what is filled in.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

const root = 'server/src'
const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /(?<!\.test)\.ts$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((file) => !file.includes('/migrations/'))
  .sort()

for (const file of files) {
  const source = readFileSync(file, 'utf8')
  const lineOf = (offset) => source.slice(0, offset).split('\n').length
  walk(parseAst(source, { lang: 'ts' }, file), (node, text) => {
    if (isSentence(text)) console.log(`${file}:${lineOf(node.start)}\t${text.replace(/\s+/g, ' ').trim()}`)
  })
}

function walk(node, found) {
  if (node === null || typeof node !== 'object') return
  if (/^(Import|Export(All|Named))Declaration$/.test(node.type) && node.source) return
  // SQL is written as a tagged template.
  if (node.type === 'TaggedTemplateExpression') return
  if (node.type === 'Literal' && typeof node.value === 'string') found(node, node.value)
  if (node.type === 'TemplateLiteral') found(node, node.quasis.map(({ value }) => value.cooked).join('{…}'))
  for (const value of Object.values(node)) walk(value, found)
}

/** At least two words, and not a pattern, a header or a list of names. */
function isSentence(text) {
  const filled = text.replaceAll('{…}', 'X')
  return /\p{L}{2,}\s+(\S+\s+)*[\p{L}\d`$]/u.test(filled) && !/^[\^[({<]|[{}();]{2}/.test(filled)
}

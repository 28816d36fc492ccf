// The reading process: one document, then it ends. The task stands in the arguments, the document comes over stdin and
// the answer goes to stdout, where the parent counts it. Nothing here is trusted by the parent.
import { Console } from 'node:console'
import { buffer } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import { findFacts } from './labelled-facts.ts'
import { readDocument } from './read-document.ts'

const [contentType = '', lifeMs = '0', task = 'text'] = process.argv.slice(2)
// Only the answer may go to stdout; what a library prints goes nowhere.
globalThis.console = new Console(process.stderr)
limitLife(Number(lifeMs))
const text = await readDocument(await buffer(process.stdin), contentType)
const isFacts = task === 'facts' && 'pages' in text
const answer = isFacts ? { facts: findFacts(text), is_truncated: text.is_truncated === true } : text
process.stdout.write(JSON.stringify(answer), () => process.exit(0))

/** The parent may have been killed and cannot end us. In its own thread: a document can keep this one busy for ever. */
function limitLife(milliseconds: number): void {
  const code = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${milliseconds})`
  new Worker(code, { eval: true, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 8 } }).unref()
}

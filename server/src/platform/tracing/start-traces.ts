// Traces of a process that runs for long: everything that a request or a job waits for becomes a span of it.
import type { Context } from '../context.ts'
import { statementName } from '../database/statement-names.ts'
import type { TraceSettings } from './trace-settings.ts'
import { createTracer, type Tracer } from './tracer.ts'

export function startTraces({ database, files, log }: Context, settings: TraceSettings): Tracer {
  const tracer = createTracer(settings, log)
  const system = database.engine === 'postgres' ? 'postgresql' : 'sqlite'
  database.times.observe = (sql, milliseconds, isFailed) => {
    // Never the text of the statement, and never its values.
    const { operation, table } = statementName(sql)
    const attributes = { 'db.system.name': system, 'db.operation.name': operation, 'db.collection.name': table }
    tracer.note(3, table === undefined ? operation : `${operation} ${table}`, milliseconds, attributes, { isFailed })
  }
  files.times.observe = (operation, milliseconds, isFailed) =>
    tracer.note(3, `file store ${operation}`, milliseconds, {}, { isFailed })
  return tracer
}

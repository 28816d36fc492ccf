// What a path names, and how an example of the reference comes by one.
import { type IdPrefix, idPattern } from '../values/ids.ts'

/**
 * Where the examples of the reference take a value from: the first one in a collection, or what another operation
 * answers. The shell variable that holds it is named after the parameter.
 */
export interface ExampleSource {
  /** What its ids begin with; undefined for what is not an id. */
  id_prefix?: IdPrefix
  /** A regular expression of what to take, where it is not an id. */
  form?: string
  /** A collection of this API, with parameters in braces. */
  found_in?: string
  /** The id of an operation whose example makes one. Without `id_prefix` and `form` it only has to happen. */
  made_by?: string
  /** The body to make it with, where the operation's own example does not fit. */
  body?: unknown
  /** Read this path until its answer has one of these states: the work is done in the background. */
  wait?: { path: string; states: readonly string[] }
}

export interface PathParameter extends ExampleSource {
  pattern: string
  description: string
  /** What stands in examples where it is not an id. */
  example?: string
}

export type PathParameters = Readonly<Record<string, PathParameter>>

export function idParameter(id_prefix: IdPrefix, description: string, source: ExampleSource): PathParameter {
  return { pattern: idPattern(id_prefix), description, id_prefix, ...source }
}

// Whether work grows evenly with its input, found by comparing, not by the clock: no machine is too slow for that.

/**
 * Four times the input may take this many times as long: 2.5 for each doubling. Even growth is 4, quadratic growth 16:
 * far enough apart that a busy machine does not look like an attack.
 */
export const steepestGrowth = 6.25

/** How much longer four times the input takes, at the best of several looks: what else the machine does only adds. */
export function growthOf<Input>(run: (input: Input) => unknown, single: Input, fourfold: Input): number {
  let [shorter, longer] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  let repeats = 1
  for (let round = 0; round < maximumRounds; round++) {
    longer = Math.min(longer, millisecondsOf(run, fourfold, repeats))
    if (longer < tooQuickToTellMs) return 1
    // Often enough that the clock of the processor, which may tick slowly, has something to count.
    repeats = Math.max(repeats, Math.ceil(enoughToCountMs / longer))
    for (let look = 0; look < 2; look++) shorter = Math.min(shorter, millisecondsOf(run, single, repeats))
    // What is nearly even at the first look is; what is not is looked at again.
    if (longer / shorter <= (round === 0 ? clearlyEven : steepestGrowth)) break
    // A first round or two may be those in which the program is still being compiled.
    if (round >= 4 && longer > cannotBeNoiseMs) break
  }
  return longer / shorter
}

/** Of the processor's time: what others take of it meanwhile does not count. */
function millisecondsOf<Input>(run: (input: Input) => unknown, input: Input, repeats: number): number {
  const begin = process.cpuUsage()
  for (let count = 0; count < repeats; count++) run(input)
  const { user, system } = process.cpuUsage(begin)
  return (user + system) / 1000 / repeats
}

const maximumRounds = 30
const clearlyEven = 5
/** Quadratic work on inputs that are worth asking about takes many times as long: for 16,000 characters, 250 ms. */
const tooQuickToTellMs = 5
const cannotBeNoiseMs = 100
const enoughToCountMs = 20

// The states of a record as one table: state × action → who may take it, the state afterwards, the event. From it come
// `available_actions`, the 409, the event, the diagram in the reference and the test of every action in every state.
import { ApiError, stateConflict } from './errors.ts'

/** What an action does in one state. */
interface Step<State extends string, Party extends string> {
  /** Who takes it: a party of the record, several that each may, or `job` for what happens by itself. */
  by: Party | readonly Party[]
  /** The state afterwards; left out when the record stays in its state. */
  to?: State
  /** The event it publishes, without the record's type: `archived` of `business.archived`. */
  event?: string
}

type StateTable<State extends string, Action extends string, Party extends string> = Readonly<
  Record<State, Readonly<Partial<Record<Action, Step<NoInfer<State>, Party>>>>>
>

/** A step of one party. */
interface Transition<State extends string, Action extends string, Party extends string> extends Step<State, Party> {
  by: Party
  from: State
  action: Action
}

/** Why an action that the state allows is not possible all the same; undefined when it is. */
export type Obstacle<Action extends string> = (action: Action) => string | undefined

export interface StateMachine<
  State extends string = string,
  Action extends string = string,
  Party extends string = string,
> {
  /** What events and the reference call the record: `client_intake_application`. */
  readonly type: string
  /** What sentences call it: `application`. */
  readonly noun: string
  readonly initial: State
  /** Every state a record can be created in, the usual one first. */
  readonly beginnings: readonly State[]
  readonly states: readonly State[]
  /** Every action a party can take in some state, without those of jobs. */
  readonly actions: readonly Action[]
  /** The whole table as a list, in its order. */
  readonly transitions: readonly Transition<State, Action, Party>[]
  /** What this party can do in this state; a Portal can be several parties of one record. */
  availableActions(
    state: State,
    party: Party | readonly Party[],
    obstacle?: Obstacle<NoInfer<Action>>,
  ): readonly Action[]
  isAllowed(
    state: State,
    action: Action,
    party: Party | readonly Party[],
    obstacle?: Obstacle<NoInfer<Action>>,
  ): boolean
  /** Throws 403 when the action is never this party's to take. */
  requireParty(action: Action, party: Party | readonly Party[]): void
  /**
   * What the action does. Throws 409 when this state does not allow it or something is in its way, 403 when it is never
   * this party's to take.
   */
  requireStep(
    state: State,
    action: Action,
    party: Party | readonly Party[],
    obstacle?: Obstacle<NoInfer<Action>>,
  ): Transition<State, Action, Party>
}

export function defineStates<State extends string, Action extends string, Party extends string>({
  type,
  noun,
  initial,
  alsoInitial = [],
  table,
}: {
  type: string
  noun: string
  initial: NoInfer<State>
  /** Other states a record can be created in. */
  alsoInitial?: readonly NoInfer<State>[]
  table: StateTable<State, Action, Party>
}): StateMachine<State, Action, Party> {
  // safe because the members of a table are its states, and those of a state its actions
  const states = Object.keys(table) as State[]
  const transitions = states.flatMap((from) =>
    // safe for the same reason
    (Object.entries(table[from]) as [Action, Step<State, Party>][]).flatMap(([action, { by, ...step }]) =>
      (typeof by === 'string' ? [by] : by).map((party) => ({ from, action, by: party, ...step })),
    ),
  )
  const isOne = (by: Party, party: Party | readonly Party[]) =>
    typeof party === 'string' ? by === party : party.some((one) => one === by)
  const find = (state: State, action: Action, party: Party | readonly Party[]) =>
    transitions.find((one) => one.from === state && one.action === action && isOne(one.by, party))
  const available = new Map<State, Map<Party, Action[]>>(states.map((state) => [state, new Map()]))
  for (const { from, by, action } of transitions) {
    const actions = available.get(from)?.get(by)
    if (actions) actions.push(action)
    else available.get(from)?.set(by, [action])
  }
  const ofTable = (state: State, party: Party | readonly Party[]) =>
    typeof party === 'string'
      ? (available.get(state)?.get(party) ?? [])
      : [
          ...new Set(
            transitions.filter(({ from, by }) => from === state && isOne(by, party)).map(({ action }) => action),
          ),
        ]
  const availableActions = (state: State, party: Party | readonly Party[], obstacle?: Obstacle<Action>) =>
    obstacle ? ofTable(state, party).filter((action) => obstacle(action) === undefined) : ofTable(state, party)
  const requireParty = (action: Action, party: Party | readonly Party[]) => {
    const parties = [...new Set(transitions.filter((one) => one.action === action).map(({ by }) => by))]
    if (parties.some((one) => isOne(one, party))) return
    throw notThisParty(
      action,
      parties.filter((one) => one !== 'job'),
    )
  }
  return {
    type,
    noun,
    initial,
    beginnings: [initial, ...alsoInitial],
    states,
    actions: [...new Set(transitions.filter(({ by }) => by !== 'job').map(({ action }) => action))],
    transitions,
    availableActions,
    isAllowed: (state, action, party, obstacle) =>
      find(state, action, party) !== undefined && obstacle?.(action) === undefined,
    requireParty,
    requireStep(state, action, party, obstacle) {
      const step = find(state, action, party)
      const why = step && obstacle?.(action)
      if (step && why === undefined) return step
      requireParty(action, party)
      throw stateConflict(noun, action, { state, available_actions: availableActions(state, party, obstacle) }, why)
    },
  }
}

/** The two Portals of a record each have their own actions. */
function notThisParty(action: string, parties: readonly string[]): ApiError {
  const message = `Cannot ${action.replaceAll('_', ' ')}: only the ${parties.join(' or the ')} can take this action.`
  return new ApiError('action_not_granted', {
    message,
    details: [{ location: 'state', name: 'party', code: 'action_not_granted', message, meta: { parties } }],
  })
}

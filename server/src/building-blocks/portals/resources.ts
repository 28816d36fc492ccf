/** What a key can be granted: each resource with its actions and the address of its collection. */
export const resources = [
  { name: 'businesses', actions: ['read', 'write'], path: '/businesses/' },
  { name: 'client_intake_applications', actions: ['read', 'write', 'review'], path: '/client-intake-applications/' },
  { name: 'projects', actions: ['read', 'write'], path: '/projects/' },
  { name: 'deals', actions: ['read', 'write'], path: '/deals/' },
  { name: 'deal_applications', actions: ['read', 'write'], path: '/deal-applications/' },
  { name: 'webhooks', actions: ['read', 'write'], path: '/webhooks/' },
  { name: 'audit', actions: ['read'], path: '/audit-log/' },
] as const

export const allGrants: readonly string[] = resources.flatMap(({ name, actions }) =>
  actions.map((action) => `${name}:${action}`),
)

/** The grants behind words like `all`, `businesses` and `businesses:read`, or the words that mean nothing. */
export function expandGrants(words: readonly string[]): { grants: string[]; unknown: string[] } {
  const grants = new Set<string>()
  const unknown: string[] = []
  for (const word of words) {
    const meant =
      word === 'all' ? allGrants : allGrants.filter((grant) => grant === word || grant.startsWith(`${word}:`))
    if (meant.length === 0) unknown.push(word)
    for (const grant of meant) grants.add(grant)
  }
  return { grants: allGrants.filter((grant) => grants.has(grant)), unknown }
}

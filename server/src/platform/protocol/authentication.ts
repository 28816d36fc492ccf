import type { RateLimits } from '../config.ts'
import { ApiError, type ErrorDetail } from './errors.ts'

/** The key behind a request, and what it may do. */
export interface Principal {
  portal_id: string
  portal_name: string
  is_portal_suspended: boolean
  key: { id: string; name: string; last4: string; created_at: string; expires_at: string | null }
  grants: ReadonlySet<string>
  rate_limits: RateLimits
}

/** Finds the key of an Authorization header; answers at once when it is remembered. Throws a 401 otherwise. */
export interface Authenticator {
  authenticate(authorization: string | undefined): Principal | Promise<Principal>
  /** The Portal of a key that was valid lately. It may have been revoked since: this is no permission. */
  recognise(authorization: string | undefined): string | undefined
}

export function authenticationRequired(): ApiError {
  return new ApiError('authentication_required', { headers: { 'www-authenticate': challenge } })
}

export function invalidCredential(
  code: 'invalid_api_key' | 'api_key_expired' | 'api_key_revoked',
  details: readonly ErrorDetail[] = [],
): ApiError {
  return new ApiError(code, { details, headers: { 'www-authenticate': `${challenge}, error="invalid_token"` } })
}

/** Throws unless the principal has one of the grants. An empty list allows every key. */
export function requireGrant(principal: Principal, anyOf: readonly string[]): void {
  if (principal.is_portal_suspended) throw new ApiError('portal_suspended')
  if (anyOf.length === 0 || anyOf.some((grant) => principal.grants.has(grant))) return
  const resources = anyOf.map((grant) => grant.split(':')[0])
  const hasResource = [...principal.grants].some((grant) => resources.includes(grant.split(':')[0]))
  const code = hasResource ? 'action_not_granted' : 'resource_not_granted'
  throw new ApiError(code, {
    details: [
      {
        location: 'header',
        name: 'Authorization',
        code,
        message: `This API key needs the grant ${anyOf.join(' or ')}. Ask the Portal administrator for a key that has it.`,
        meta: { required: anyOf, granted: [...principal.grants] },
      },
    ],
    headers: { 'www-authenticate': `${challenge}, error="insufficient_scope", scope="${anyOf.join(' ')}"` },
  })
}

const challenge = 'Bearer realm="portico"'

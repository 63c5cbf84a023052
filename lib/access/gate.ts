import { RateLimit } from './rate-limit';
import type { Scope } from './scopes';
import type { AuditLog } from '../audit';
import { RoundhouseError } from '#schemas/errors';
import { shownText } from '#schemas/shown-text';
import type { AccessEvents, Edge } from './access-events';
import type { Caller, Refusal } from './caller';
import type { Credentials } from './credentials';
import { networkOf } from './network-of';
import { QuotaExceeded } from './quota-exceeded';

export interface Request {
  readonly edge: Edge;
  /** The header, unchecked. */
  readonly authorization: string | undefined;
  readonly address: string;
  readonly scope: Scope;
  /** What the request names as its tenant, unchecked. */
  readonly tenant: string | undefined;
}

/** Of an address (of IPv6 its network): so many wrong credentials are answered, and audited, one by one. */
const failuresOfAddress = { perSecond: 1, burst: 20 } as const;

const whatIsNeeded = 'send "authorization: Bearer" with an API key or a token that is valid here';

function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer ([!-~]{1,8192})$/i.exec(authorization ?? '')?.[1];
}

export interface GateParts {
  readonly credentials: Credentials;
  readonly events: Pick<AccessEvents, 'AccessRefused'>;
  readonly audit: AuditLog;
  /** Unix ms. */
  now(): number;
}

/** Whom a request was admitted for. */
export interface Admitted {
  /** undefined: it names none, and nobody has to say who they are. */
  readonly tenant: string | undefined;
  /** `key:ID`, `jwt:SUBJECT`, or null where nobody is asked. */
  readonly actor: string | null;
}

/** Who may do what, and how often. */
export class AccessGate {
  private readonly failures = new RateLimit();
  private readonly requests = new RateLimit();

  constructor(private readonly parts: GateParts) {}

  /** Without keys and tokens nobody is asked. */
  get isAsked(): boolean {
    return this.parts.credentials.areAsked;
  }

  /** Rejects with UNAUTHENTICATED, FORBIDDEN or QUOTA_EXCEEDED, before anything of a body is read. */
  async admit(request: Request): Promise<Admitted> {
    if (!this.isAsked) return { tenant: request.tenant, actor: null };
    const caller = await this.callerOf(request);
    this.requireAllowed(caller, request);
    this.requireRate(caller, request);
    return { tenant: caller.tenant, actor: caller.actor };
  }

  /** Whether a request that was admitted would be again, by the keys of now: asked of streams, which outlive keys. */
  async stillAdmits({ authorization, scope }: Request, tenant: string | undefined): Promise<boolean> {
    const { credentials, now } = this.parts;
    if (!credentials.areAsked) return true;
    const found = await credentials.find(bearerOf(authorization) ?? '', now());
    return 'caller' in found && found.caller.tenant === tenant && found.caller.scopes.has(scope);
  }

  private async callerOf(request: Request): Promise<Caller> {
    const text = bearerOf(request.authorization);
    if (text === undefined)
      throw this.refuse(request, 'anyone', request.authorization === undefined ? 'absent' : 'malformed');
    const found = await this.parts.credentials.find(text, this.parts.now());
    if ('refusal' in found) throw this.refuse(request, 'anyone', found.refusal);
    return found.caller;
  }

  private requireAllowed({ actor, tenant, scopes }: Caller, request: Request): void {
    if (!scopes.has(request.scope)) throw this.refuse(request, actor, 'scope');
    if (request.tenant !== undefined && request.tenant !== tenant)
      throw this.refuse(request, actor, 'tenant');
  }

  private requireRate({ tenant, actor }: Caller, { edge, address }: Request): void {
    const perSecond = this.parts.credentials.quotaOf(tenant)?.requestsPerSecond ?? null;
    if (perSecond === null) return;
    const waitMs = this.requests.take(tenant, { perSecond, burst: 2 * perSecond }, this.parts.now());
    if (waitMs === 0) return;
    this.parts.events.AccessRefused({ edge, reason: 'rate', address, actor, isTold: false });
    throw new QuotaExceeded(`${perSecond} requests a second`, waitMs);
  }

  /** Counted always; told in full so often that a flood fills no log. */
  private refuse(request: Request, actor: string, reason: Refusal | 'scope' | 'tenant'): RoundhouseError {
    const { edge, address, scope } = request;
    const waitMs = this.failures.take(networkOf(address), failuresOfAddress, this.parts.now());
    this.parts.events.AccessRefused({ edge, reason, address, actor, isTold: waitMs === 0 });
    if (waitMs > 0) return new QuotaExceeded('wrong credentials from this address', waitMs);
    const subject = request.tenant === undefined ? scope : `${scope} of ${shownText(request.tenant, 64)}`;
    this.parts.audit.record({ action: 'access', actor, subject, outcome: 'refused', address, reason });
    if (reason === 'scope')
      return new RoundhouseError('FORBIDDEN', `the credential lacks the scope ${scope}`);
    if (reason === 'tenant') return new RoundhouseError('FORBIDDEN', 'the credential is for another tenant');
    return new RoundhouseError('UNAUTHENTICATED', whatIsNeeded);
  }
}

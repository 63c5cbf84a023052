import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { closeServer, healthRoutes, listen, type HealthOptions } from '#lib/health';
import { createWebServer, isVerified, watchCertificate, type ServerTls } from '#lib/server-tls';
import { describeValue, idFault } from '#policy/validation/index';
import type { RoundId, RunId, TenantId } from '#schemas/brands';
import type { RoundKey } from '#schemas/domain';
import { errorCodes, RoundhouseError } from '#schemas/errors';
import { shownText } from '#schemas/shown-text';
import type { Scope } from '#lib/access/scopes';
import type { AccessGate } from '#lib/access/gate';
import type { ReaderPlaces } from '../access/reader-places';
import { namedTenant } from '../access/named-tenant';
import type { DecisionCache } from '../consume/decision-cache';
import { roundBody } from '../cut/round-body';
import type { IngestEvents } from '../events';
import type { Acceptance, RoundIntake } from '../round-intake';
import type { RoundClaims } from '../store/round-claims';
import { answerDecision, waitMsOf } from './decision-route';
import type { BodyBudget } from '../read/body-budget';
import { elementsOf } from '../read/json-shape';
import { parseJson } from '../read/parse-json';
import { readBytes, type BodyLimits } from './read-body';
import { replyError, replyJson } from './replies';

export interface HttpApiOptions {
  readonly host: string;
  readonly port: number;
  /** The variable that names it. */
  readonly portKey?: string;
  readonly maxBodyBytes: number;
  /** Of both edges. */
  readonly bodies: BodyBudget;
  readonly maxCouriers: number;
  readonly maxOrders: number;
  readonly bodyTimeoutMs: number;
  readonly maxWaitMs: number;
  readonly health: HealthOptions;
  readonly intake: RoundIntake;
  readonly cache: DecisionCache;
  readonly claims: RoundClaims;
  readonly events: IngestEvents;
  readonly tls: ServerTls | null;
  readonly gate: AccessGate;
  readonly waits: ReaderPlaces;
  /** Rejects where the tenant has no more of its quota. */
  takeQuota(tenant: string | undefined, rounds: number, bytes: number): Promise<void>;
  observe(body: unknown, tenant: string | undefined): Promise<number>;
}

const tenantHeader = 'x-roundhouse-tenant';
const traceHeaders = ['traceparent', 'tracestate'];
const decisionPath = /^\/v1\/runs\/([^/]+)\/rounds\/([^/]+)\/decision$/;

const headerOf = (request: IncomingMessage, name: string) => {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

function decodeId(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new RoundhouseError('PAYLOAD_INVALID', `${shownText(part, 80)} is no percent-encoded id`);
  }
}

/** The producer API on HTTP, with the health and metrics endpoints on the same port. */
export class HttpApi {
  private readonly server: Server;
  private readonly stopping = new AbortController();
  private readonly health: ReturnType<typeof healthRoutes>;
  private readonly bodyLimits: BodyLimits;

  constructor(private readonly options: HttpApiOptions) {
    this.health = healthRoutes(options.health);
    watchCertificate(options.health.registry, options.tls);
    this.bodyLimits = { maxBytes: options.maxBodyBytes, maxElements: elementsOf(options) };
    this.server = createWebServer(options.tls, 'asked', {
      requestTimeout: options.bodyTimeoutMs,
      headersTimeout: Math.min(10_000, options.bodyTimeoutMs),
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 30_000,
    });
    this.server.on('request', (request, response) => void this.handle(request, response));
  }

  listen(): Promise<number> {
    const { host, port, portKey } = this.options;
    return listen(this.server, host, port, portKey);
  }

  /** Long polls are answered at once; running submissions get their answer. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await closeServer(this.server);
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (!(await this.health(request, response))) await this.route(request, response);
    } catch (error) {
      if (request.errored) return void response.destroy();
      const { code } = replyError(response, error);
      if (errorCodes[code].http !== 500) return;
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.options.events.RequestFailed({ edge: 'http', code, reason });
    }
  }

  private async route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [pathname = '/', query] = (request.url ?? '/').split('?', 2);
    const searchParams = new URLSearchParams(query);
    const named = namedTenant([headerOf(request, tenantHeader), ...searchParams.getAll('tenant')]);
    const admitted = (scope: Scope) => this.admit(request, scope, named);
    const decision = decisionPath.exec(pathname);
    if (decision) {
      requireMethod(request, 'GET');
      const key = {
        tenantId: (await admitted('decisions:read')) ?? 'default',
        runId: decodeId(decision[1]!),
        roundId: decodeId(decision[2]!),
      };
      return this.decision(response, brandedKey(key), searchParams.get('waitMs'));
    }
    if (pathname === '/v1/rounds') {
      requireMethod(request, 'POST');
      return this.submit(request, response, await admitted('rounds:write'));
    }
    if (pathname === '/v1/observations') {
      requireMethod(request, 'POST');
      return this.observe(request, response, await admitted('observations:write'));
    }
    const shown = shownText(pathname, 200);
    throw new RoundhouseError('NOT_FOUND', `no ${shown}; docs/producer-api.md lists the paths`);
  }

  /** Probes of health have no certificate; everybody else shows one where there is an authority for them. */
  private async admit(
    request: IncomingMessage,
    scope: Scope,
    tenant: string | undefined,
  ): Promise<string | undefined> {
    if (this.options.tls?.clientCa && !isVerified(request))
      throw new RoundhouseError('UNAUTHENTICATED', 'show a certificate of the authority for clients');
    const { authorization } = request.headers;
    const address = request.socket.remoteAddress ?? 'unknown';
    const admitted = await this.options.gate.admit({ edge: 'http', authorization, address, scope, tenant });
    return admitted.tenant;
  }

  private async submit(request: IncomingMessage, response: ServerResponse, tenant?: string): Promise<void> {
    try {
      replyJson(response, 202, await this.acceptanceOf(request, tenant));
    } catch (error) {
      if (!request.errored) this.options.intake.refused('http', error);
      throw error;
    }
  }

  private acceptanceOf(request: IncomingMessage, tenant?: string): Promise<Acceptance> {
    const [traceparent, tracestate] = traceHeaders.map((name) => headerOf(request, name));
    return this.withBody(request, async (bytes) => {
      await this.options.takeQuota(tenant, 1, bytes.length);
      return this.options.intake.submit({
        edge: 'http',
        ...roundBody({ bytes, format: 'json', maxElements: this.bodyLimits.maxElements }),
        tenant,
        traceparent,
        tracestate,
      });
    });
  }

  private async observe(request: IncomingMessage, response: ServerResponse, tenant?: string): Promise<void> {
    const accepted = await this.withBody(request, async (bytes) => {
      await this.options.takeQuota(tenant, 0, bytes.length);
      return this.options.observe(parseJson(bytes, this.bodyLimits), tenant);
    });
    replyJson(response, 202, { accepted });
  }

  private withBody<T>(request: IncomingMessage, work: (bytes: Buffer) => Promise<T>): Promise<T> {
    const { bodies } = this.options;
    return bodies.within(async (share) => work(await readBytes(request, this.bodyLimits.maxBytes, share)));
  }

  private decision(response: ServerResponse, key: RoundKey, wait: string | null): Promise<void> {
    const { cache, claims, intake, waits, maxWaitMs } = this.options;
    const parts = { cache, claims, intake, waits, stopping: this.stopping.signal };
    return answerDecision(response, key, waitMsOf(wait, maxWaitMs), parts);
  }
}

function brandedKey(key: { tenantId: string; runId: string; roundId: string }): RoundKey {
  const faults = Object.entries(key).flatMap(([path, id]) => {
    const limit = idFault(id);
    return limit === null ? [] : [{ path, value: describeValue(id), limit }];
  });
  if (faults.length > 0) throw new RoundhouseError('PAYLOAD_INVALID', 'the path names no round', faults);
  return { tenantId: key.tenantId as TenantId, runId: key.runId as RunId, roundId: key.roundId as RoundId };
}

function requireMethod(request: IncomingMessage, method: string): void {
  if (request.method === method) return;
  throw new RoundhouseError('NOT_FOUND', `${request.method} is not served here, ${method} is`);
}

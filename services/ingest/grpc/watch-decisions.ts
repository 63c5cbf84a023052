import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { Metadata, status, type ServerWritableStream } from '@grpc/grpc-js';
import { decisionToJson } from '#schemas/decision-json';
import { describeValue, idFault } from '#policy/validation/index';
import { RoundhouseError } from '#schemas/errors';
import { roundKey } from '#schemas/topics';
import { admittedCall } from '#lib/access/grpc-admission';
import type { ReaderPlaces } from '../access/reader-places';
import type { DecisionCache, DecisionRecord } from '../consume/decision-cache';

interface WatchRequest {
  readonly tenantId?: string;
  readonly runId?: string;
  readonly zoneId?: string;
  readonly includeRecent?: boolean;
}
type WatchCall = ServerWritableStream<WatchRequest, object>;

export interface WatchParts {
  readonly cache: DecisionCache;
  readonly streams: ReaderPlaces;
  readonly stopping: AbortSignal;
}

/** A watcher that takes nothing off its stream for so many new decisions is cut off. */
const MAX_UNSENT = 256;
/** So soon a stream ends whose credential does. */
const RECHECK_MS = 5_000;
/** So many may come while it still reads the recent ones. */
const MAX_BEHIND = 10_000;
/** Records are decoded to be looked at; other requests get their turn between so many. */
const LOOKED_AT_ONCE = 16;

function matches(request: WatchRequest, tenant: string, { decision }: DecisionRecord): boolean {
  return (
    decision.tenantId === tenant &&
    (request.runId === undefined || decision.runId === request.runId) &&
    (request.zoneId === undefined || decision.zoneId === request.zoneId)
  );
}

function toMessage({ decision, appendedAt, closedAt, outage }: DecisionRecord): object {
  return { decision: decisionToJson(decision), appendedAt, closedAt, outage };
}

/** One stream: the recent decisions as fast as they are read, then the new ones as they come. */
class Watcher {
  private readonly over = new AbortController();
  private unwatch: () => void = () => undefined;
  private unsent = 0;
  private readonly recheck: NodeJS.Timeout;
  /** What comes while the recent ones are sent stands behind them in the cache; null afterwards. */
  private behind: Set<string> | null = null;

  constructor(
    private readonly call: WatchCall,
    private readonly parts: WatchParts,
    private readonly tenant: string,
    private readonly leave: () => void,
  ) {
    this.recheck = setInterval(() => void this.requireGood(), RECHECK_MS);
  }

  async run(): Promise<void> {
    this.call.on('drain', () => (this.unsent = 0));
    this.call.on('cancelled', this.end);
    this.parts.stopping.addEventListener('abort', this.end);
    if (this.call.request.includeRecent) this.behind = new Set();
    this.unwatch = this.parts.cache.watch((record) => this.take(record));
    // Tells the watcher that it misses nothing from here on.
    this.call.sendMetadata(new Metadata());
    if (this.parts.stopping.aborted || this.call.cancelled) this.end();
    else if (this.behind) await this.sendRecent(this.behind);
  }

  private readonly end = (): void => {
    if (this.over.signal.aborted) return;
    this.letGo();
    this.call.end();
  };

  /** A key may be revoked, and a token end, while its stream is open. */
  private async requireGood(): Promise<void> {
    if ((await admittedCall(this.call.metadata).isStillGood()) || this.over.signal.aborted) return;
    this.letGo();
    const details = 'the credential of the stream is no longer valid';
    this.call.emit('error', Object.assign(new Error(details), { code: status.UNAUTHENTICATED, details }));
  }

  /** Also of a stream that never began. */
  letGo(): void {
    clearInterval(this.recheck);
    this.leave();
    this.over.abort();
    this.unwatch();
    this.parts.stopping.removeEventListener('abort', this.end);
  }

  private cutOff(count: number): void {
    this.letGo();
    const details = `${count} decisions wait to be read`;
    this.call.emit('error', Object.assign(new Error(details), { code: status.RESOURCE_EXHAUSTED, details }));
  }

  private take(record: DecisionRecord): void {
    if (!matches(this.call.request, this.tenant, record)) return;
    if (this.behind) {
      this.behind.add(roundKey(record.decision));
      if (this.behind.size > MAX_BEHIND) this.cutOff(this.behind.size);
      return;
    }
    this.unsent = this.call.write(toMessage(record)) ? 0 : this.unsent + 1;
    if (this.unsent > MAX_UNSENT) this.cutOff(this.unsent);
  }

  /** The cache's iteration comes to the new ones, too; one that left the cache meanwhile can't be sent. */
  private async sendRecent(behind: Set<string>): Promise<void> {
    let looked = 0;
    for (const record of this.parts.cache.recent()) {
      behind.delete(roundKey(record.decision));
      const isFull = matches(this.call.request, this.tenant, record) && !this.call.write(toMessage(record));
      if (isFull) await once(this.call, 'drain', { signal: this.over.signal }).catch(() => undefined);
      else if (++looked % LOOKED_AT_ONCE === 0) await turn();
      if (this.over.signal.aborted) return;
    }
    this.behind = null;
    if (behind.size > 0) this.cutOff(behind.size);
  }
}

/** The tenant that the call names, in its metadata or its request. Throws where they differ. */
function tenantOf({ metadata, request }: WatchCall): string {
  const fromEdge = admittedCall(metadata).tenant;
  const tenant = fromEdge ?? request.tenantId ?? 'default';
  if (request.tenantId === undefined || request.tenantId === tenant) return tenant;
  const limit = 'the tenant of the call';
  const fault = { path: 'tenantId', value: describeValue(request.tenantId), limit };
  throw new RoundhouseError('PAYLOAD_INVALID', 'the request names another tenant', [fault]);
}

/** What is asked for is held as long as the stream. Throws where it names what can't be an id. */
function requireIds({ tenantId, runId, zoneId }: WatchRequest): void {
  const faults = Object.entries({ tenantId, runId, zoneId }).flatMap(([path, id]) => {
    const limit = id === undefined ? null : idFault(id);
    return limit === null ? [] : [{ path, value: describeValue(id), limit }];
  });
  if (faults.length > 0) throw new RoundhouseError('PAYLOAD_INVALID', 'the request names no ids', faults);
}

/** Streams matching decisions until the caller ends the call or the service stops. */
export async function watchDecisions(call: WatchCall, parts: WatchParts): Promise<void> {
  requireIds(call.request);
  const tenant = tenantOf(call);
  const leave = parts.streams.enter(tenant);
  const watcher = new Watcher(call, parts, tenant, leave);
  await watcher.run().catch((error: unknown) => {
    watcher.letGo();
    throw error;
  });
}

import type { MetricsRegistry } from '#lib/metrics/registry';
import type { IngestConfig } from '../config';
import type { IngestEvents } from '../events';
import type { TenantQuota } from '../store/tenant-quota';
import type { Credentials } from '#lib/access/credentials';
import { ReaderPlaces } from './reader-places';

interface LimitParts {
  readonly quotas: TenantQuota;
  readonly credentials: Pick<Credentials, 'quotaOf'>;
  readonly config: Pick<IngestConfig, 'maxStreams' | 'maxWaits'>;
  readonly events: Pick<IngestEvents, 'ReaderRefused' | 'QuotaNotCharged'>;
  readonly registry: Pick<MetricsRegistry, 'observed'>;
}

/** What a tenant may have, of whatever it asks. */
export class TenantLimits {
  readonly streams: ReaderPlaces;
  readonly waits: ReaderPlaces;

  constructor(private readonly parts: LimitParts) {
    const { config, registry } = parts;
    this.streams = this.places('stream', 'decision streams', config.maxStreams);
    this.waits = this.places('wait', 'requests that wait for a decision', config.maxWaits);
    const gauge = (name: string, help: string, places: ReaderPlaces): void =>
      registry.observed(name, help, () => places.open);
    gauge('dispatch_decision_streams_open', 'Streams of decisions that are open.', this.streams);
    gauge('dispatch_decision_waits_open', 'Requests that wait for a decision.', this.waits);
  }

  /** Before a body is parsed. Rejects where the tenant has no more of its quota. */
  async take(tenant: string | undefined, rounds: number, bytes: number): Promise<void> {
    const quota = tenant === undefined ? null : this.parts.credentials.quotaOf(tenant);
    if (quota !== null) await this.parts.quotas.take(tenant!, quota, { rounds, bytes });
  }

  /** Of a round that was accepted, which doesn't wait for it. */
  owe(tenant: string | undefined, candidates: number): void {
    const { credentials, quotas, events } = this.parts;
    const quota = tenant === undefined ? null : credentials.quotaOf(tenant);
    if (quota === null) return;
    quotas.owe(tenant!, quota, candidates).catch((error: Error) => {
      events.QuotaNotCharged({ tenantId: tenant!, reason: error.message });
    });
  }

  private places(kind: 'stream' | 'wait', what: string, most: number): ReaderPlaces {
    const { credentials, events } = this.parts;
    const quota = kind === 'stream' ? 'streams' : 'waits';
    return new ReaderPlaces({
      what,
      most,
      quotaOf: (tenant) => credentials.quotaOf(tenant)?.[quota] ?? null,
      onRefused: (limit) => events.ReaderRefused({ kind, limit }),
    });
  }
}

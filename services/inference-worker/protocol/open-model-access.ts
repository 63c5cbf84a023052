import { Credentials } from '#lib/access/credentials';
import { AccessGate } from '#lib/access/gate';
import { openAuditLog, type AuditLog } from '#lib/audit';
import type { ServiceContext } from '#lib/service';
import type { WorkerConfig } from '../config';
import type { WorkerEvents } from '../events';

/** Who may do what on the KServe ports, and where it is written down. */
export interface ModelAccess {
  readonly gate: AccessGate;
  readonly audit: AuditLog;
  /** Why a change of keys was not taken. */
  whyNotFollowed(): string | null;
}

/** First of all, since a file that can't be used is a fault of the configuration. Throws CONFIG_INVALID. */
export function openModelAccess(
  { config, logger, onStop }: ServiceContext<WorkerConfig>,
  events: WorkerEvents,
): ModelAccess {
  const audit = openAuditLog({ auditFile: config.auditFile, service: 'inference-worker', logger });
  onStop('audit log', () => audit.close());
  const credentials = new Credentials('WORKER', config, events, audit);
  onStop('credentials', () => credentials.close());
  const gate = new AccessGate({ credentials, events, audit, now: Date.now });
  return { gate, audit, whyNotFollowed: () => credentials.whyNotFollowed() };
}

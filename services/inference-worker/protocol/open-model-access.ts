import { Credentials } from '#lib/access/credentials';
import { AccessGate } from '#lib/access/gate';
import { openAuditLog, type AuditLog } from '#lib/audit';
import { readServerTls, type ServerTls } from '#lib/server-tls';
import type { ServiceContext } from '#lib/service';
import type { WorkerConfig } from '../config';
import type { WorkerEvents } from '../events';

/** Who may connect to the worker's ports, do what on those of KServe, and where it is written down. */
export interface ModelAccess {
  /** Of all ports but that for other workers; null: in the clear. */
  readonly tls: ServerTls | null;
  readonly gate: AccessGate;
  readonly audit: AuditLog;
  /** Why a change of keys was not taken. */
  whyNotFollowed(): string | null;
}

/** Once and first of all, since a file that can't be used is a fault of the configuration. Throws CONFIG_INVALID. */
export function openModelAccess(
  { config, logger, onStop }: ServiceContext<WorkerConfig>,
  events: WorkerEvents,
): ModelAccess {
  const tls = readServerTls(config);
  const audit = openAuditLog({ auditFile: config.auditFile, service: 'inference-worker', logger });
  onStop('audit log', () => audit.close());
  const credentials = new Credentials('WORKER', config, events, audit);
  onStop('credentials', () => credentials.close());
  const gate = new AccessGate({ credentials, events, audit, now: Date.now });
  return { tls, gate, audit, whyNotFollowed: () => credentials.whyNotFollowed() };
}

import { userInfo } from 'node:os';
import { auditSettings, openAuditLog, type AuditEntry } from '#lib/audit';
import { loadConfig, type Env } from '#lib/config';

const quiet = { info: () => undefined, error: () => undefined } as unknown as Parameters<
  typeof openAuditLog
>[0]['logger'];

/** Whoever runs a command, by the system; a container may have a number without a name. */
function operator(): string {
  try {
    return `user:${userInfo().username}`;
  } catch {
    return `user:${process.getuid?.() ?? 'unknown'}`;
  }
}

export interface Audited<T> {
  readonly action: string;
  readonly subject: string;
  run(): T | Promise<T>;
  /** Why it came to nothing; absent or null: it is done. */
  faultOf?(result: T): string | null;
}

/** A command that changes something, with a line in the audit log of who ran it and how it ended. */
export async function auditedCommand<T>(env: Env, { action, subject, run, faultOf }: Audited<T>): Promise<T> {
  const { auditFile } = loadConfig(env, auditSettings);
  const audit = openAuditLog({ auditFile, service: 'command', logger: quiet });
  const entry = { action, actor: operator(), subject };
  const record = (end: Pick<AuditEntry, 'outcome' | 'reason'>): void => audit.record({ ...entry, ...end });
  try {
    const result = await run();
    const reason = faultOf?.(result) ?? null;
    record(reason === null ? { outcome: 'done' } : { outcome: 'failed', reason });
    return result;
  } catch (error) {
    record({ outcome: 'failed', reason: (error as Error).message.slice(0, 500) });
    throw error;
  } finally {
    audit.close();
  }
}

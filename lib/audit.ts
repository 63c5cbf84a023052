import { appendFileSync, closeSync, constants, openSync } from 'node:fs';
import { configError } from './config-error';
import { optionalFileSetting } from './settings';
import type { Logger } from './telemetry';

/** Who did what to what, and how it ended. Nothing of it is a secret or a coordinate. */
export interface AuditEntry {
  /** `model.load`, `models.label`, `access`, … */
  readonly action: string;
  /** `key:ID`, `jwt:SUBJECT`, `certificate:NAME`, `user:NAME`, or `anyone`. */
  readonly actor: string;
  readonly subject: string;
  readonly outcome: 'done' | 'refused' | 'failed';
  readonly address?: string;
  readonly reason?: string;
}

export interface AuditLog {
  record(entry: AuditEntry): void;
  close(): void;
}

export const auditSettings = {
  /** Lines of JSON, appended; empty: only the log has them. */
  auditFile: optionalFileSetting('ROUNDHOUSE_AUDIT_FILE'),
} as const;

/** Of a pipe that nobody reads it is told that it can't be opened; the plain way to open it would wait for good. */
const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

function openFile(path: string): number {
  try {
    return openSync(path, flags, 0o600);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const limit = `a file that can be appended to (${code})`;
    throw configError([{ path: 'ROUNDHOUSE_AUDIT_FILE', value: path, limit }]);
  }
}

/**
 * Every entry is a line of the log (`event: Audited`) and, where a file is set, of that file, written before the
 * call returns: one write of a line that several processes may append to. Throws CONFIG_INVALID where it can't be.
 */
export function openAuditLog(options: {
  readonly auditFile: string;
  readonly service: string;
  readonly logger: Pick<Logger, 'info' | 'error'>;
}): AuditLog {
  const { auditFile, service, logger } = options;
  const file = auditFile === '' ? null : openFile(auditFile);
  return {
    record(entry) {
      logger.info({ event: 'Audited', ...entry });
      if (file === null) return;
      const line = JSON.stringify({ at: new Date().toISOString(), service, pid: process.pid, ...entry });
      try {
        appendFileSync(file, `${line}\n`);
      } catch (error) {
        logger.error({ event: 'AuditFailed', action: entry.action, error });
      }
    },
    close() {
      if (file !== null) closeSync(file);
    },
  };
}

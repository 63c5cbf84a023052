import { quotaOf, readAccessFile, type AccessRules, type KeyEntry, type Quota } from './access-file';
import type { AuditLog } from '../audit';
import { configError } from '../config';
import { FollowedFile, type FollowedFileOptions } from '../followed-file';
import type { JWTVerifyGetKey } from 'jose';
import type { AccessEvents } from './access-events';
import type { AccessConfig, AccessOwner } from './access-settings';
import type { Finding } from './caller';
import { findKey, keysById } from './find-key';
import { findWebToken, readKeySet } from './web-tokens';

interface Rules {
  readonly rules: AccessRules;
  readonly keys: ReadonlyMap<string, KeyEntry>;
}

function readRules(text: string): Rules {
  const reading = readAccessFile(text);
  if (reading.kind === 'rules') return { rules: reading.rules, keys: keysById(reading.rules.keys) };
  throw new Error(reading.faults.map(({ path, limit }) => `${path}: ${limit}`).join('; '));
}

/** Rules of tokens that nobody looks at would leave the door open that somebody meant to close. */
function requireKeysOfTokens({ jwtKeys, jwtIssuer, jwtAudience }: AccessConfig, owner: AccessOwner): void {
  if (jwtKeys !== '') return;
  const prefix = `ROUNDHOUSE_${owner}_JWT_`;
  const faults = Object.entries({ ISSUER: jwtIssuer, AUDIENCE: jwtAudience }).flatMap(([name, value]) =>
    value === '' ? [] : [{ path: `${prefix}${name}`, value, limit: `only with ${prefix}KEYS` }],
  );
  if (faults.length > 0) throw configError(faults);
}

/** Keys and quotas of the access file, and public keys of tokens; both are followed. */
export class Credentials {
  private readonly file: FollowedFile<Rules> | null;
  private readonly tokens: FollowedFile<JWTVerifyGetKey> | null;

  /** Throws CONFIG_INVALID for a file that can't be used, and for settings that nothing is done with. */
  constructor(
    owner: AccessOwner,
    private readonly config: AccessConfig,
    private readonly events: Pick<AccessEvents, 'AccessFileFollowed' | 'AccessFileRefused'>,
    private readonly audit: AuditLog,
  ) {
    requireKeysOfTokens(config, owner);
    this.file = this.follow(`ROUNDHOUSE_${owner}_ACCESS_FILE`, config.accessFile, readRules);
    this.tokens = this.follow(`ROUNDHOUSE_${owner}_JWT_KEYS`, config.jwtKeys, readKeySet);
  }

  /** Without either file everybody may do everything, as any tenant. */
  get areAsked(): boolean {
    return this.file !== null || this.tokens !== null;
  }

  find(text: string, now: number): Finding | Promise<Finding> {
    if (text.startsWith('rh_')) return findKey(text, this.file?.value.keys ?? new Map(), now);
    if (this.tokens !== null) return findWebToken(text, this.tokens.value, this.config);
    return { refusal: 'malformed' };
  }

  quotaOf(tenant: string): Quota | null {
    return this.file === null ? null : quotaOf(this.file.value.rules, tenant);
  }

  /** For who looks whether a change has come through. */
  whyNotFollowed(): string | null {
    const files = [this.file, this.tokens].flatMap((file) => file?.refusal ?? []);
    return files.length === 0 ? null : `the old keys hold: ${files.join('; ')}`;
  }

  close(): void {
    this.file?.close();
    this.tokens?.close();
  }

  private follow<T>(key: string, path: string, read: (text: string) => T): FollowedFile<T> | null {
    if (path === '') return null;
    const told: Omit<FollowedFileOptions<T>, 'path' | 'read'> = {
      onChange: () => {
        this.events.AccessFileFollowed({ file: path });
        this.audit.record({ action: 'access.changed', actor: 'file', subject: path, outcome: 'done' });
      },
      onRefused: (reason) => {
        this.events.AccessFileRefused({ file: path, reason });
        this.audit.record({
          action: 'access.changed',
          actor: 'file',
          subject: path,
          outcome: 'failed',
          reason,
        });
      },
    };
    try {
      return new FollowedFile({ path, read, ...told });
    } catch (error) {
      throw configError([
        { path: key, value: path, limit: `a file that can be used (${(error as Error).message})` },
      ]);
    }
  }
}

import { resolve } from 'node:path';
import { projectRoot } from '#schemas/project-root';
import { Secret, isSecretText, secretLimit } from './secret';

/** One setting: the environment key it comes from, its default, and how its text is read. */
export interface Setting<T> {
  readonly key: string;
  readonly fallback: string;
  /** Its text stays out of messages. */
  readonly isSecret?: true;
  /** The value, or what is allowed instead. */
  read(text: string): { readonly value: T } | { readonly limit: string };
}
export type ConfigSpec = Readonly<Record<string, Setting<unknown>>>;
export type ConfigOf<S extends ConfigSpec> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never;
};

export function integerSetting(
  key: string,
  limits: { readonly default: number; readonly min: number; readonly max: number },
): Setting<number> {
  const limit = `a whole number from ${limits.min} to ${limits.max}`;
  return {
    key,
    fallback: String(limits.default),
    read(text) {
      const value = /^-?\d{1,15}$/.test(text) ? Number(text) : NaN;
      return value >= limits.min && value <= limits.max ? { value } : { limit };
    },
  };
}

/** null when the key is absent. */
export function optional<T>(setting: Setting<T>): Setting<T | null> {
  return {
    key: setting.key,
    fallback: '',
    read: (text) => (text === '' ? { value: null } : setting.read(text)),
  };
}

export function portSetting(key: string, fallback: number): Setting<number> {
  return integerSetting(key, { default: fallback, min: 0, max: 65_535 });
}

export function textSetting(
  key: string,
  options: { readonly default: string; readonly pattern?: RegExp; readonly limit?: string },
): Setting<string> {
  const pattern = options.pattern ?? /^.{1,1000}$/;
  const limit = options.limit ?? 'text of 1 to 1000 characters';
  return {
    key,
    fallback: options.default,
    read: (text) => (pattern.test(text) ? { value: text } : { limit }),
  };
}

/** A folder; a relative path starts at the root of the project, wherever the process was started. */
export function folderSetting(key: string, fallback: string): Setting<string> {
  return {
    key,
    fallback,
    read(text) {
      const good = text.length <= 1_000 && !text.includes('\0');
      return good ? { value: resolve(projectRoot, text) } : { limit: 'a path of at most 1000 characters' };
    },
  };
}

export function choiceSetting<const C extends string>(
  key: string,
  choices: readonly C[],
  fallback: NoInfer<C>,
): Setting<C> {
  return {
    key,
    fallback,
    read(text) {
      const value = choices.find((choice) => choice === text);
      return value === undefined ? { limit: `one of ${choices.join(', ')}` } : { value };
    },
  };
}

export function flagSetting(key: string, fallback: boolean): Setting<boolean> {
  return {
    key,
    fallback: String(fallback),
    read(text) {
      if (text === 'true' || text === '1') return { value: true };
      if (text === 'false' || text === '0') return { value: false };
      return { limit: 'true or false' };
    },
  };
}

function isBroker(text: string): boolean {
  const [, port] = /^(?:[\w.-]+|\[[0-9a-fA-F:]+\]):(\d{1,5})$/.exec(text) ?? [];
  return port !== undefined && Number(port) >= 1 && Number(port) <= 65_535;
}

/** `host:port`, several separated by commas. */
export function brokersSetting(key: string, fallback: string): Setting<readonly string[]> {
  return {
    key,
    fallback,
    read(text) {
      const brokers = text.split(',').map((broker) => broker.trim());
      return brokers.every(isBroker)
        ? { value: Object.freeze(brokers) }
        : { limit: 'host:port, several separated by commas' };
    },
  };
}

export function urlSetting(key: string, fallback: string, protocols: readonly string[]): Setting<string> {
  const limit = `a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`;
  return {
    key,
    fallback,
    read(text) {
      const url = URL.canParse(text) ? new URL(text) : null;
      return url !== null && protocols.includes(url.protocol) ? { value: text } : { limit };
    },
  };
}

/** A file; a relative path starts at the root of the project. Empty: none. */
export function optionalFileSetting(key: string): Setting<string> {
  return {
    key,
    fallback: '',
    read(text) {
      const good = text.length <= 1_000 && !text.includes('\0');
      if (!good) return { limit: 'a path of at most 1000 characters' };
      return { value: text === '' ? '' : resolve(projectRoot, text) };
    },
  };
}

/** A word without spaces; empty: none. */
export function optionalNameSetting(key: string): Setting<string> {
  return textSetting(key, {
    default: '',
    pattern: /^[!-~]{0,255}$/,
    limit: 'at most 255 characters, no spaces',
  });
}

/** What nobody may read in a log or a message; null when absent. */
export function secretSetting(key: string): Setting<Secret | null> {
  return {
    key,
    fallback: '',
    isSecret: true,
    read(text) {
      if (text === '') return { value: null };
      return isSecretText(text) ? { value: new Secret(text) } : { limit: secretLimit };
    },
  };
}

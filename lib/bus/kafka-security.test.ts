import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RoundhouseError } from '#schemas/errors';
import { projectPath } from '#schemas/project-root';
import { loadConfig } from '../config';
import { readKafkaSecurity } from './kafka-security';
import { kafkaSettings } from './kafka-settings';

const folder = mkdtempSync(join(tmpdir(), 'roundhouse-kafka-security-'));
const passwordFile = join(folder, 'password');
writeFileSync(passwordFile, 'from a file\n');
afterAll(() => rmSync(folder, { recursive: true }));

type Settings = Record<string, string>;

function securityOf(settings: Settings) {
  const env = Object.fromEntries(Object.entries(settings).map(([k, v]) => [`ROUNDHOUSE_KAFKA_${k}`, v]));
  return readKafkaSecurity(loadConfig(env, kafkaSettings));
}

function faultsOf(settings: Settings): string[] {
  try {
    securityOf(settings);
  } catch (error) {
    const { code, faults, message } = error as RoundhouseError;
    expect(code).toBe('CONFIG_INVALID');
    expect(message).not.toContain('hunter2');
    return faults.map(({ path, limit }) => `${path.replace('ROUNDHOUSE_KAFKA_', '')}: ${limit}`);
  }
  return [];
}

test('nothing set: in the clear, as nobody', () => {
  expect(securityOf({})).toEqual({ tls: null, sasl: null });
});

test('a user by SCRAM, the password of a file, TLS by the system’s authorities', () => {
  const { tls, sasl } = securityOf({
    TLS: 'true',
    TLS_NAME: 'broker.internal',
    SASL: 'scram-sha-512',
    USER: 'ingest',
    PASSWORD_FILE: passwordFile,
  });
  expect(tls).toEqual({ minVersion: 'TLSv1.2', servername: 'broker.internal' });
  expect(sasl).toEqual({ mechanism: 'scram-sha-512', username: 'ingest', password: 'from a file' });
});

test.each<[Settings, string[]]>([
  [{ SASL: 'scram-sha-256' }, ['USER: needed for scram-sha-256', 'PASSWORD_FILE: needed for scram-sha-256']],
  [{ USER: 'a', PASSWORD: 'hunter2' }, ['SASL: a mechanism, since there is a user or a password']],
  [
    { SASL: 'plain', USER: 'a', PASSWORD: 'hunter2' },
    ['SASL: scram-sha-512 without ROUNDHOUSE_KAFKA_TLS=true: plain would show the password'],
  ],
  [
    { SASL: 'scram-sha-512', USER: 'a', PASSWORD: 'hunter2', PASSWORD_FILE: passwordFile },
    ['PASSWORD_FILE: not together with ROUNDHOUSE_KAFKA_PASSWORD'],
  ],
  [
    { SASL: 'scram-sha-512', USER: 'a', PASSWORD_FILE: join(folder, 'none') },
    ['PASSWORD_FILE: a file that can be read'],
  ],
  [{ SASL: 'scram-sha-512', USER: 'a', PASSWORD_FILE: folder }, ['PASSWORD_FILE: a file that can be read']],
  [{ TLS_CA: passwordFile }, ['TLS_CA: a certificate in PEM', 'TLS_CA: only with ROUNDHOUSE_KAFKA_TLS=true']],
  [{ TLS_NAME: 'kafka.internal' }, ['TLS_NAME: only with ROUNDHOUSE_KAFKA_TLS=true']],
  [{ TLS: '1', TLS_CERT: passwordFile }, ['TLS_KEY: a file: a certificate and its key go together']],
  [{ USER: 'two words' }, ['USER: at most 255 characters, no spaces']],
])('%j is refused', (settings, faults) => {
  expect(faultsOf(settings)).toEqual(faults);
});

test('a file of two lines, an empty one and a large one hold no password, and are not shown', () => {
  for (const text of ['hunter2\nhunter2', '', 'hunter2'.repeat(1_000)]) {
    writeFileSync(join(folder, 'odd'), text);
    const [fault] = faultsOf({ SASL: 'scram-sha-512', USER: 'a', PASSWORD_FILE: join(folder, 'odd') });
    expect(fault).toMatch(/^PASSWORD_FILE: a file that holds one line/);
  }
});

/** Calls of a maker of clients, with what follows up to the end of their arguments' first lines. */
function callsOf(maker: string): { readonly file: string; readonly call: string }[] {
  const isSource = (name: string): boolean => name.endsWith('.ts') && !name.endsWith('.test.ts');
  return ['services', 'launcher'].flatMap((part) =>
    (readdirSync(projectPath(part), { recursive: true }) as string[]).filter(isSource).flatMap((name) => {
      const text = readFileSync(projectPath(part, name), 'utf8');
      const calls = [...text.matchAll(new RegExp(`(?<![\\w{,] )${maker}\\(([^]{0,120})`, 'g'))];
      return calls.map(([, call]) => ({ file: join(part, name), call: call! }));
    }),
  );
}

test.each([
  ['connectBus', 'kafkaAccess('],
  ['createRedis', 'redisAccess('],
])('every %s of a service and of a command is given the settings of security', (maker, access) => {
  const calls = callsOf(maker);
  expect(calls.length).toBeGreaterThan(2);
  expect(
    calls.filter(({ call }) => !call.includes(access) && !call.includes('...access')).map(({ file }) => file),
  ).toEqual([]);
});

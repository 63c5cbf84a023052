import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RoundhouseError } from '#schemas/errors';
import { javaCommand, withJavaHint } from './java';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'java-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function makeJava(...place: string[]): string {
  mkdirSync(join(folder, ...place), { recursive: true });
  const file = join(folder, ...place, 'java');
  writeFileSync(file, '');
  chmodSync(file, 0o755);
  return file;
}

test('JAVA_HOME comes before PATH', () => {
  const inPath = makeJava('path');
  const inHome = makeJava('home', 'bin');
  const PATH = `/nowhere:${join(folder, 'path')}`;
  expect(javaCommand({ PATH })).toBe(inPath);
  expect(javaCommand({ PATH, JAVA_HOME: join(folder, 'home') })).toBe(inHome);
});

test.each([
  [{ PATH: '/nowhere' }, 'there is no java in PATH'],
  [{}, 'there is no java in PATH'],
  [{ PATH: '/nowhere', JAVA_HOME: '/gone' }, 'JAVA_HOME is /gone, which holds no bin/java'],
])('without Java (%j) the version and the package are named', (env, where) => {
  const missing = `the broker needs Java 17 or newer: ${where}. Install one`;
  expect(() => javaCommand(env)).toThrow(expect.objectContaining({ code: 'DEPENDENCY_ABSENT' }) as Error);
  expect(() => javaCommand(env)).toThrow(missing);
  expect(() => javaCommand(env)).toThrow('sudo apt-get install default-jre-headless');
});

test('a Java that is too old is named', () => {
  const error = new RoundhouseError(
    'DEPENDENCY_ABSENT',
    'java.lang.UnsupportedClassVersionError: kafka/Kafka',
  );
  expect((withJavaHint(error, '/opt/java') as Error).message).toMatch(
    /^the broker needs Java 17 or newer, and \/opt\/java is older\..*\njava.lang/,
  );
  const other = new RoundhouseError('DEPENDENCY_ABSENT', 'broker was not ready');
  expect(withJavaHint(other, 'java')).toBe(other);
});

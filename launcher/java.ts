import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { RoundhouseError } from '#schemas/errors';

const howTo =
  'Install one (on Debian or Ubuntu: sudo apt-get install default-jre-headless), or let JAVA_HOME name it, or ' +
  'let KAFKA_BROKERS name a broker of your own';

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The program `java` of JAVA_HOME, else of PATH. DEPENDENCY_ABSENT says what is needed where there is none. */
export function javaCommand(env: NodeJS.ProcessEnv): string {
  const { JAVA_HOME: home, PATH = '' } = env;
  const folders = home ? [join(home, 'bin')] : PATH.split(delimiter).filter((folder) => folder !== '');
  const found = folders.map((folder) => join(folder, 'java')).find(isExecutable);
  if (found !== undefined) return found;
  const where = home ? `JAVA_HOME is ${home}, which holds no bin/java` : 'there is no java in PATH';
  throw new RoundhouseError('DEPENDENCY_ABSENT', `the broker needs Java 17 or newer: ${where}. ${howTo}`);
}

/** What an older Java says of classes that it can't read. */
const tooOld = /UnsupportedClassVersionError|has been compiled by a more recent version/;

/** A fault of a process of Java, with what to do where the Java is too old. */
export function withJavaHint(error: unknown, command: string): unknown {
  if (!(error instanceof RoundhouseError) || !tooOld.test(error.message)) return error;
  const message = `the broker needs Java 17 or newer, and ${command} is older. ${howTo}\n${error.message}`;
  return new RoundhouseError(error.code, message, [], { cause: error });
}

/** Java takes the names of files by the locale: any name can be opened in this one. */
export function javaEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, LC_ALL: 'C.UTF-8' };
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checksumFaults, parseChecksums } from './checksums.mjs';
import { runLogged, SetUpError } from './command.mjs';
import { replaceFolder } from './fresh-folder.mjs';
import { hashFiles, isStamped } from './stamp.mjs';

const copyGoal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';

/** The jars of Apache Kafka by Maven; each must have the hash in toolchain/kafka/jars.sha256. */
export function brokerJars(places) {
  const pom = join(places.root, 'toolchain', 'kafka', 'pom.xml');
  const list = join(places.root, 'toolchain', 'kafka', 'jars.sha256');
  const folder = join(places.toolchain, 'kafka');
  const inputs = () => hashFiles(places.root, [pom, list]);
  return {
    name: 'broker jars (Apache Kafka)',
    tools: ['java', 'maven'],
    needs: [],
    isDone: () => isStamped(folder, inputs()),
    run: () => replaceFolder(folder, inputs(), (fresh) => copyJars(pom, list, fresh, places.logs)),
  };
}

async function copyJars(pom, list, folder, logs) {
  const args = ['-B', '-f', pom, copyGoal, `-DoutputDirectory=${folder}`, '-DincludeScope=runtime'];
  await runLogged('mvn', args, { log: join(logs, 'setup-maven.log') });
  const faults = checksumFaults(folder, parseChecksums(readFileSync(list, 'utf8')));
  if (faults.length > 0) {
    throw new SetUpError(`The broker jars differ from ${list}:\n  ${faults.join('\n  ')}`);
  }
}

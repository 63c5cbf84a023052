import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  ResourcePatternTypes,
  type AclEntry,
} from 'kafkajs';
import { pino } from 'pino';
import { createKafka, withAdmin } from '#lib/bus/kafka-client';
import { formatStorage, javaPlaces } from '#launcher/broker';
import { brokerProperties, javaFlags, propertiesText } from '#launcher/broker-properties';
import { javaCommand, javaEnvironment } from '#launcher/java';
import { freePort, loopback } from '#launcher/ports';
import { SupervisedProcess } from '#launcher/processes';
import { toolchainPath } from '#launcher/toolchain';
import { projectPath } from '#schemas/project-root';
import type { Authority } from './certificates';

const mechanism = 'SCRAM-SHA-512';
const admin = { name: 'admin', password: 'admin-of-the-test' } as const;

export interface SecureServers {
  readonly kafkaBrokers: string;
  readonly redisUrl: string;
  stop(): Promise<void>;
}

export interface SecureOptions {
  readonly folder: string;
  readonly authority: Authority;
  /** Of both, by user. */
  readonly passwords: Readonly<Record<string, string>>;
}

/** A broker with TLS, SCRAM and the ACLs of ops/kafka-acls.txt, and a Redis with TLS and the users of ops/redis-users.acl. */
export async function startSecureServers(options: SecureOptions): Promise<SecureServers> {
  const [broker, redis] = await Promise.all([startSecureBroker(options), startSecureRedis(options)]);
  return {
    kafkaBrokers: `${loopback}:${broker.port}`,
    redisUrl: `rediss://${loopback}:${redis.port}`,
    async stop() {
      await Promise.all([broker.process.stop(), redis.process.stop()]);
    },
  };
}

interface Started {
  readonly port: number;
  readonly process: SupervisedProcess;
}

function withoutListeners(text: string): string {
  return text.replace(/^(listeners|advertised\.listeners|listener\.security\.protocol\.map)=.*\n/gm, '');
}

function secureProperties(port: number, controllerPort: number, keystore: string, authority: string): string {
  const user = `org.apache.kafka.common.security.scram.ScramLoginModule required username="${admin.name}" password="${admin.password}";`;
  const secured = {
    listeners: `SASL_SSL://${loopback}:${port},CONTROLLER://${loopback}:${controllerPort}`,
    'advertised.listeners': `SASL_SSL://${loopback}:${port}`,
    'listener.security.protocol.map': 'SASL_SSL:SASL_SSL,CONTROLLER:SSL',
    'inter.broker.listener.name': 'SASL_SSL',
    'sasl.enabled.mechanisms': mechanism,
    'sasl.mechanism.inter.broker.protocol': mechanism,
    'listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config': user,
    'listener.name.controller.ssl.client.auth': 'required',
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': keystore,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': authority,
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users': `User:${admin.name};User:CN=broker`,
  };
  return (
    withoutListeners(brokerProperties({ dataFolder: 'data', port, controllerPort })) + propertiesText(secured)
  );
}

async function startSecureBroker({ folder, authority, passwords }: SecureOptions): Promise<Started> {
  const here = join(folder, 'broker');
  mkdirSync(here);
  const { certificate, key } = authority.issue('broker');
  const keystore = join(folder, 'broker-keystore.pem');
  writeFileSync(keystore, readFileSync(key, 'utf8') + readFileSync(certificate, 'utf8'), { mode: 0o600 });
  const [port, controllerPort] = [await freePort(), await freePort()];
  const properties = secureProperties(port, controllerPort, keystore, authority.certificate);
  const users = Object.entries({ ...passwords, [admin.name]: admin.password });
  await formatStorage(process.env, here, {
    properties,
    users: users.map(([name, password]) => `${mechanism}=[name=${name},password=${password}]`),
  });
  writeFileSync(join(here, 'server.properties'), properties);
  const kafka = createKafka({
    brokers: [`${loopback}:${port}`],
    clientId: 'admin',
    logger: pino({ level: 'silent' }),
    security: {
      tls: { ca: readFileSync(authority.certificate) },
      sasl: { mechanism: 'scram-sha-512', username: admin.name, password: admin.password },
    },
  });
  const broker = new SupervisedProcess({
    name: 'broker',
    command: javaCommand(process.env),
    args: [...javaFlags, ...javaPlaces(process.env, here), 'kafka.Kafka', 'server.properties'],
    cwd: here,
    environment: () => javaEnvironment(process.env),
    logFile: join(folder, 'broker.log'),
    ready: () =>
      withAdmin(kafka, (client) => client.listTopics()).then(
        () => true,
        () => false,
      ),
    readyTimeoutMs: 60_000,
    stopTimeoutMs: 5_000,
    restarts: false,
  });
  await broker.start();
  await withAdmin(kafka, (client) => client.createAcls({ acl: documentedAcls() }));
  return { port, process: broker };
}

/** The lines of ops/kafka-acls.txt, which kafka-acls.sh takes as they are. */
export function documentedAcls(): AclEntry[] {
  const lines = readFileSync(projectPath('ops', 'kafka-acls.txt'), 'utf8').split('\n');
  return lines.filter((line) => line.startsWith('--')).flatMap(aclsOf);
}

function aclsOf(line: string): AclEntry[] {
  const words = [...line.matchAll(/--([a-z-]+) (\S+)/g)].map(([, flag, value]) => [flag!, value!] as const);
  const of = (flag: string): string[] => words.filter(([name]) => name === flag).map(([, value]) => value);
  const [topic] = of('topic');
  const [pattern = 'literal'] = of('resource-pattern-type');
  return of('operation').map((operation) => ({
    principal: of('allow-principal')[0]!,
    host: '*',
    operation: AclOperationTypes[snake(operation) as keyof typeof AclOperationTypes],
    permissionType: AclPermissionTypes.ALLOW,
    resourceType: topic === undefined ? AclResourceTypes.GROUP : AclResourceTypes.TOPIC,
    resourceName: topic ?? of('group')[0]!,
    resourcePatternType:
      pattern === 'prefixed' ? ResourcePatternTypes.PREFIXED : ResourcePatternTypes.LITERAL,
  }));
}

const snake = (name: string): string => name.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase();

async function startSecureRedis({ folder, authority, passwords }: SecureOptions): Promise<Started> {
  const { certificate, key } = authority.issue('redis');
  const port = await freePort();
  const users = readFileSync(projectPath('ops', 'redis-users.acl'), 'utf8').replace(
    /([A-Z]+)_SHA256/g,
    (_, name: string) => createHash('sha256').update(passwords[name.toLowerCase()]!).digest('hex'),
  );
  const aclFile = join(folder, 'users.acl');
  writeFileSync(aclFile, users);
  mkdirSync(join(folder, 'redis'));
  const settings = {
    port: 0,
    'tls-port': port,
    bind: loopback,
    'tls-cert-file': certificate,
    'tls-key-file': key,
    'tls-ca-cert-file': authority.certificate,
    'tls-auth-clients': 'no',
    aclfile: aclFile,
    dir: join(folder, 'redis'),
    save: '',
    'maxmemory-policy': 'noeviction',
  };
  const redis = new SupervisedProcess({
    name: 'redis',
    command: toolchainPath(process.env, 'redis-tls', 'redis-server'),
    args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
    // Beside the machine's own libraries, which it may lack.
    environment: () => ({ ...process.env, LD_LIBRARY_PATH: toolchainPath(process.env, 'redis-tls') }),
    logFile: join(folder, 'redis.log'),
    ready: () =>
      Promise.resolve(/Ready to accept connections/.test(readFileSync(join(folder, 'redis.log'), 'utf8'))),
    readyTimeoutMs: 20_000,
    stopTimeoutMs: 5_000,
    restarts: false,
  });
  await redis.start();
  return { port, process: redis };
}

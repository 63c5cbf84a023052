import { loopback } from './ports';

export interface BrokerPlace {
  /** No comma may be in it: Kafka takes a list. */
  readonly dataFolder: string;
  readonly port: number;
  readonly controllerPort: number;
  /** A second listener, whose clients are told another port: that of a proxy in front of it. */
  readonly proxied?: ProxiedPort;
}

export interface ProxiedPort {
  readonly port: number;
  readonly advertisedPort: number;
}

/**
 * One KRaft node that is broker and controller. Sizes are for a laptop: few internal partitions, a small
 * cleaner buffer, no wait before a group's first assignment. Topics are made by our services, not by use.
 */
export function brokerProperties({ dataFolder, port, controllerPort, proxied }: BrokerPlace): string {
  const second = (of: number | undefined): string => (of === undefined ? '' : `,PROXIED://${loopback}:${of}`);
  const properties = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@${loopback}:${controllerPort}`,
    listeners: `PLAINTEXT://${loopback}:${port},CONTROLLER://${loopback}:${controllerPort}${second(proxied?.port)}`,
    'advertised.listeners': `PLAINTEXT://${loopback}:${port}${second(proxied?.advertisedPort)}`,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,PROXIED:PLAINTEXT',
    'log.dirs': dataFolder,
    'auto.create.topics.enable': false,
    'message.max.bytes': 8_388_608,
    // A killed broker may register again only when its old session is over.
    'broker.session.timeout.ms': 3_000,
    'broker.heartbeat.interval.ms': 500,
    'group.initial.rebalance.delay.ms': 0,
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 4,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'transaction.state.log.num.partitions': 4,
    'share.coordinator.state.topic.replication.factor': 1,
    'share.coordinator.state.topic.min.isr': 1,
    'log.cleaner.dedupe.buffer.size': 16_777_216,
    'log.index.size.max.bytes': 1_048_576,
    'num.network.threads': 2,
    'num.io.threads': 4,
    'background.threads': 2,
  };
  return propertiesText(properties);
}

/** Java reads a file of properties as Latin-1, with escapes; a backslash or a space in front is one, too. */
export function propertiesText(properties: Readonly<Record<string, string | number | boolean>>): string {
  return Object.entries(properties)
    .map(([key, value]) => `${key}=${escaped(String(value))}\n`)
    .join('');
}

function escaped(value: string): string {
  return value.replace(/^ |[^\x20-\x7e]|\\/g, (units) =>
    Array.from(
      { length: units.length },
      (_, at) => `\\u${units.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** Flags that hold the broker near 230 MB (`-Xmx512m` alone grows to 500 MB under load). */
export const javaFlags = [
  '-Xms64m',
  '-Xmx192m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-XX:+ExitOnOutOfMemoryError',
  '-Djava.awt.headless=true',
] as const;

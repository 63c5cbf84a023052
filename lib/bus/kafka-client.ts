import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Kafka, logLevel, type Admin, type ISocketFactory, type LogEntry } from 'kafkajs';
import type { Logger } from '../telemetry';
import type { KafkaSecurity } from './kafka-security';
import { repairKafkajs } from './kafkajs-repairs';

export interface BusOptions {
  readonly brokers: readonly string[];
  /** Of `kafkaAccess(config)`; absent: in the clear, as nobody. */
  readonly security?: KafkaSecurity;
  readonly clientId: string;
  readonly logger: Logger;
  /** Messages above it are refused before they are sent; the topics' `max.message.bytes`. */
  readonly maxMessageBytes?: number;
  /** Where a consumer keeps its place in its group for a restart after a crash; absent: nowhere. */
  readonly stateFolder?: string;
}

/** Small requests must not wait for acknowledgements of earlier packets. */
const socketFactory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
  const named = isIP(host) === 0 ? { servername: host } : {};
  const socket = ssl
    ? connectTls({ host, port, ...named, ...ssl }, onConnect)
    : connect({ host, port }, onConnect);
  socket.setNoDelay(true);
  socket.setKeepAlive(true, 60_000);
  return socket;
};

/** kafkajs reports passing faults as errors; what matters is logged by our own events. */
function logTo(logger: Logger): (entry: LogEntry) => void {
  return ({ level, namespace, log }) => {
    const { message, timestamp: _timestamp, logger: _logger, stack: _stack, ...fields } = log;
    const entry = { event: 'KafkaClientReported', namespace, ...fields };
    if (level === logLevel.ERROR) logger.debug(entry, message);
    else logger.trace(entry, message);
  };
}

/** The only maker of kafkajs clients. */
export function createKafka({ brokers, security, clientId, logger }: BusOptions): Kafka {
  repairKafkajs();
  return new Kafka({
    clientId,
    brokers: [...brokers],
    ...(security?.tls && { ssl: security.tls }),
    ...(security?.sasl && { sasl: security.sasl }),
    connectionTimeout: 2_000,
    requestTimeout: 10_000,
    retry: { initialRetryTime: 20, maxRetryTime: 300, retries: 4 },
    logLevel: logLevel.WARN,
    logCreator: () => logTo(logger),
    socketFactory,
  });
}

/** An admin connection for one task; a long-lived one would have to be watched. */
export async function withAdmin<T>(kafka: Kafka, task: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = kafka.admin({ retry: { initialRetryTime: 20, maxRetryTime: 200, retries: 2 } });
  try {
    await admin.connect();
    return await task(admin);
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

/** The protocol error at the bottom of kafkajs' wrappers, by its name in the Kafka protocol. */
export function protocolErrorType(error: unknown): string | null {
  for (let e = error as { type?: unknown; cause?: unknown } | undefined; e; e = e.cause as typeof e) {
    if (typeof e.type === 'string') return e.type;
    if (e.cause === e) break;
  }
  return null;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

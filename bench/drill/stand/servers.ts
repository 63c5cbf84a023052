import { join } from 'node:path';
import { startBroker, type EmbeddedServer } from '#launcher/broker';
import { freePort, loopback } from '#launcher/ports';
import { startRedis } from '#launcher/redis';
import type { RunFolder } from '#launcher/run-folder';
import { TcpLine } from './tcp-line';

/** A real broker and a real Redis, each behind a line that can be cut, muted and slowed. */
export interface Servers {
  readonly broker: EmbeddedServer;
  readonly redis: EmbeddedServer;
  readonly kafkaLine: TcpLine;
  readonly redisLine: TcpLine;
  /** What services are told. */
  readonly kafkaBrokers: string;
  readonly redisUrl: string;
}

const portOf = ({ address }: EmbeddedServer): number => Number(address.split(':')[1]);

export async function startServers(folder: RunFolder): Promise<Servers> {
  const place = (name: string) => ({
    env: process.env,
    folder: join(folder.path, name),
    logFile: join(folder.logs, `${name}.log`),
  });
  const proxiedPort = await freePort();
  const kafkaLine = new TcpLine(proxiedPort);
  const advertisedPort = await kafkaLine.listen();
  const proxied = { port: proxiedPort, advertisedPort };
  const [broker, redis] = await Promise.all([
    startBroker({ ...place('broker'), proxied }),
    startRedis(place('redis')),
  ]);
  const redisLine = new TcpLine(portOf(redis));
  const redisPort = await redisLine.listen();
  const kafkaBrokers = `${loopback}:${advertisedPort}`;
  return { broker, redis, kafkaLine, redisLine, kafkaBrokers, redisUrl: `redis://${loopback}:${redisPort}` };
}

export async function stopServers({ broker, redis, kafkaLine, redisLine }: Servers): Promise<void> {
  await Promise.all([broker.process.stop(), redis.process.stop()]);
  await Promise.all([kafkaLine.close(), redisLine.close()]);
}

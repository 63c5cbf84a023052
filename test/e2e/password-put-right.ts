import { writeFileSync } from 'node:fs';
import { pino } from 'pino';
import { connectBus } from '#lib/bus/kafka';
import { kafkaAccess } from '#lib/bus/kafka-security';
import { kafkaSettings } from '#lib/bus/kafka-settings';
import { loadConfig, type Env } from '#lib/config';
import { followedFiles } from '#lib/followed-files';

/** A client of the broker with a password of yesterday gets in as soon as its file has the one of today. */
export async function getsInOncePutRight(env: Env, file: string, password: string): Promise<void> {
  writeFileSync(file, 'of-yesterday');
  const access = kafkaAccess(loadConfig({ ...env, ROUNDHOUSE_KAFKA_PASSWORD_FILE: file }, kafkaSettings));
  const bus = connectBus({ ...access, clientId: 'test', logger: pino({ level: 'silent' }) });
  await expect(bus.waitUntilReady(2_000)).rejects.toMatchObject({ code: 'DEPENDENCY_ABSENT' });
  writeFileSync(file, password);
  // A change is taken once it was there at two looks.
  for (let i = 0; i < 2; i += 1) for (const one of followedFiles()) one.look();
  await bus.waitUntilReady(20_000);
  await bus.close();
}

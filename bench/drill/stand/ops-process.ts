import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Pipeline } from '#launcher/pipeline';
import { SupervisedProcess } from '#launcher/processes';
import { loopback } from '#launcher/ports';
import { projectPath } from '#schemas/project-root';

/** services/ops beside a pipeline: it looks at groups and services, twice a second. `groups`: more of them, like group@topic. */
export function opsProcess(
  pipeline: Pipeline,
  servers: { readonly kafkaBrokers: string; readonly redisUrl: string },
  groups: readonly string[],
): SupervisedProcess | null {
  const main = projectPath('dist', 'services', 'ops', 'main.js');
  if (!existsSync(main)) return null;
  const targets = pipeline.processes().flatMap(({ name, ports }) => {
    return ports.http === undefined ? [] : [`${name}=http://${loopback}:${ports.http}`];
  });
  const env = {
    ...process.env,
    KAFKA_BROKERS: servers.kafkaBrokers,
    REDIS_URL: servers.redisUrl,
    ROUNDHOUSE_BIND_HOST: loopback,
    ROUNDHOUSE_OPS_TARGETS: targets.join(','),
    ROUNDHOUSE_OPS_CONSUMER_GROUPS: groups.join(','),
    ROUNDHOUSE_OPS_INTERVAL_MS: '500',
  };
  return new SupervisedProcess({
    name: 'ops',
    command: process.execPath,
    args: ['--enable-source-maps', main],
    environment: ({ http = 0 }) => ({ ...env, ROUNDHOUSE_OPS_HTTP_PORT: String(http) }),
    logFile: join(pipeline.logs, 'ops.log'),
    ready: 'message',
    readyTimeoutMs: 60_000,
    stopTimeoutMs: 10_000,
    restarts: true,
  });
}

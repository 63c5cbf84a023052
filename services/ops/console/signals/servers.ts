import type { Signal } from '#policy/operations/signals';
import { signal } from './causes';
import type { ProcessLook } from './process-look';
import type { SignalSources } from './sources';

/** Said while a process starts, and while a group is shared anew: of that, not of Kafka. */
const isOfItself = (reason: string): boolean =>
  /^(the consumer group has not|not started|not connected yet)/.test(reason);
const kafkaChecks = ['kafka', 'rounds', 'outcomes'];

/** What processes that answer say of a server. */
function witnesses(processes: readonly ProcessLook[], checks: readonly string[]): [string, string][] {
  return processes.flatMap(({ look: { instance, reasons } }) =>
    Object.entries(reasons)
      .filter(([check, reason]) => checks.includes(check) && !isOfItself(reason))
      .slice(0, 1)
      .map(([, reason]): [string, string] => [instance.name, reason]),
  );
}

function outagesOf(processes: readonly ProcessLook[], outage: string): string[] {
  return processes.flatMap(({ look: { instance, series } }) =>
    series.some(
      ({ name, labels, value }) =>
        name === 'dispatch_outage_active' && labels['outage'] === outage && value > 0,
    )
      ? [instance.name]
      : [],
  );
}

/** Neither brokers nor any process: that is the network, or the machine. */
function ofAll({ kafkaFault, processes }: SignalSources): Signal[] {
  const isAll = processes.length > 0 && processes.every(({ look }) => look.fault !== null);
  if (!isAll || kafkaFault === null) return [];
  const words =
    'neither the brokers nor any service answers here: the network to this console, or the machine';
  return [signal('all', ['bad', 'everything', words, 'RoundhouseServiceDown'])];
}

function ofKafka({ kafkaFault, processes }: SignalSources): Signal[] {
  const names = witnesses(processes, kafkaChecks).map(([name]) => name);
  const outages = outagesOf(processes, 'kafka');
  const others = [...new Set([...names, ...outages])];
  const also = others.length === 0 ? '' : `; ${others.join(', ')} hear nothing of it either`;
  const runbook = others.length > 0 ? 'RoundhouseOutageLasts' : 'RoundhouseOpsBlind';
  if (kafkaFault !== null)
    return [signal('kafka', ['bad', 'Kafka', `does not answer: ${kafkaFault}${also}`, runbook], ['all'])];
  if (others.length === 0) return [];
  const words = `is silent to ${others.join(', ')}, and answers this console`;
  return [signal('kafka', ['bad', 'Kafka', words, 'RoundhouseOutageLasts'])];
}

function ofRedis({ processes }: SignalSources): Signal[] {
  const found = witnesses(processes, ['redis']);
  const outages = outagesOf(processes, 'redis').filter((name) => !found.some(([other]) => other === name));
  if (found.length === 0 && outages.length === 0) return [];
  const said = found.map(([name, reason]) => `${name}: ${reason}`);
  const lasts = outages.map((name) => `${name}: an outage lasts`);
  const isRefusal = found.some(([, reason]) => /maxmemory|refused|OOM|READONLY|NOPERM/i.test(reason));
  const runbook = isRefusal ? 'RoundhouseNotReady' : 'RoundhouseOutageLasts';
  return [signal('redis', ['bad', 'Redis', [...said, ...lasts].join('; '), runbook], ['all'])];
}

function ofTopics({ kafkaFault, missingTopics }: SignalSources): Signal[] {
  if (kafkaFault !== null || missingTopics.length === 0) return [];
  const words = `no topic ${missingTopics.join(', ')} yet: the first service that starts makes it`;
  return [signal('topics', ['warn', 'Kafka', words, 'RoundhouseNotReady'])];
}

/** Kafka, Redis, and whatever takes both away. */
export function serverSignals(sources: SignalSources): Signal[] {
  return [...ofAll(sources), ...ofKafka(sources), ...ofRedis(sources), ...ofTopics(sources)];
}

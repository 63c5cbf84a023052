import type { Signal } from '#policy/operations/signals';
import { ofKafka, ofProcess, ofRedis, ofServers, signal, type Kind } from './causes';
import type { ProcessLook } from './process-look';

const mostSkewSeconds = 0.05;

/** Ends of processes of this kind that say that a server was absent follow from that. */
const causesOf = (kind: Kind, name: string): string[] => [
  'all',
  `ended:${kind}/${name}`,
  `restarted:${kind}/${name}`,
];

function silent({ look: { instance, fault }, kind }: ProcessLook): Signal[] {
  if (fault === null) return [];
  const { name } = instance;
  const words = /^no answer in/.test(fault)
    ? `does not answer: ${fault}; it hangs, or is stopped`
    : `does not answer: ${fault}`;
  return [
    signal(`silent:${kind}/${name}`, ['bad', name, words, 'RoundhouseServiceDown'], causesOf(kind, name)),
  ];
}

function clock({ look: { instance, series } }: ProcessLook): Signal[] {
  const skew = series.find(({ name }) => name === 'dispatch_clock_skew_seconds')?.value ?? 0;
  if (Math.abs(skew) <= mostSkewSeconds) return [];
  const words = `its clock is ${Math.round(1_000 * Math.abs(skew))} ms ${skew > 0 ? 'ahead of' : 'behind'} the broker's`;
  return [signal(`clock:${instance.name}`, ['warn', instance.name, words, 'RoundhouseClockSkewed'])];
}

function engines({ look: { instance, engines: all }, kind }: ProcessLook): Signal[] {
  const { name } = instance;
  return all.flatMap(({ id, state, reason }) => {
    if (state === 'up') return [];
    const page = state === 'handed_over' ? 'RoundhouseEngineCircuitOpen' : 'RoundhouseEngineDown';
    const after = [...ofProcess(kind, name), `incident:${name}`];
    return [signal(`engine:${name}/${id}`, ['bad', name, `engine ${id}: ${reason || state}`, page], after)];
  });
}

const byCheck: Readonly<Record<string, readonly string[]>> = {
  kafka: ofKafka,
  rounds: ofKafka,
  outcomes: ofKafka,
  redis: ofRedis,
};

function notReady({ look: { instance, reasons }, kind }: ProcessLook): Signal[] {
  const { name } = instance;
  return Object.entries(reasons).map(([check, reason]) => {
    const ofCheck =
      check === 'engine' ? [`incident:${name}`, `engine:${name}/*`] : (byCheck[check] ?? ofServers);
    const after = [...ofCheck, ...ofProcess(kind, name)];
    const line = ['bad', name, `is not ready: ${check}: ${reason}`, 'RoundhouseNotReady'] as const;
    return signal(`not-ready:${kind}/${name}/${check}`, line, after);
  });
}

const pagesOfWarnings = new Map([
  ['accessFiles', 'RoundhouseAccessChangeRefused'],
  ['confinement', 'RoundhouseEngineUnconfined'],
]);

function warnings({ look: { instance, warnings: all } }: ProcessLook): Signal[] {
  const { name } = instance;
  return Object.entries(all).map(([check, words]) =>
    signal(
      `warning:${name}/${check}`,
      ['warn', name, words, pagesOfWarnings.get(check) ?? 'RoundhouseNotReady'],
      [`incident:${name}`, `engine:${name}/*`],
    ),
  );
}

/** Processes that are silent, their engines and checks. */
export function processSignals(processes: readonly ProcessLook[]): Signal[] {
  return [clock, silent, engines, notReady, warnings].flatMap((signalsOf) => processes.flatMap(signalsOf));
}

import type { Signal } from '#policy/operations/signals';
import { ofProcess, signal } from './causes';
import type { ProcessLook } from './process-look';

const longSeconds = 1;

/** Processes whose event loop did not turn for a second or more since somebody looked last. */
export function stalls(processes: readonly ProcessLook[]): Signal[] {
  return processes.flatMap(({ look: { instance, series }, kind }) => {
    const { name } = instance;
    const seconds = series.find((one) => one.name === 'nodejs_eventloop_lag_max_seconds')?.value ?? 0;
    if (seconds < longSeconds) return [];
    const words = `stood still for ${seconds.toFixed(1)} s: blocked, stopped, or without a processor`;
    const line = ['warn', name, words, 'RoundhouseEventLoopBlocked'] as const;
    return [signal(`stalled:${kind}/${name}`, line, ofProcess(kind, name), { times: 1 })];
  });
}

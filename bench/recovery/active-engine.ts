import type { Pipeline } from '#launcher/pipeline';

export interface EngineState {
  readonly pid: number | null;
  readonly standbyReady: boolean;
}

/** What the first worker's metrics say of its engines. */
export async function engineState(pipeline: Pipeline): Promise<EngineState> {
  const worker = pipeline.processes().find(({ name }) => name === 'worker')!;
  const text = await (await fetch(`http://127.0.0.1:${worker.ports.http}/metrics`)).text();
  const value = (name: string): number => {
    const line = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text);
    return line === null ? NaN : Number(line[1]);
  };
  const pid = value('dispatch_engine_pid');
  return {
    pid: pid > 0 ? pid : null,
    standbyReady: value('dispatch_engine_standby_ready') === 1,
  };
}

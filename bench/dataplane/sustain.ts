import { readFileSync } from 'node:fs';
import type { Call } from './measure';

export interface Sustained {
  readonly seconds: number;
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
  /** Growth of the resident set a hundred requests, after the first fifth of the run. */
  readonly callerBytesPer100: number;
  readonly engineBytesPer100: number;
}

function residentBytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1_024;
}

/** Least squares: bytes a request. */
function slope(points: readonly { readonly x: number; readonly y: number }[]): number {
  const meanX = points.reduce((sum, { x }) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, { y }) => sum + y, 0) / points.length;
  const covariance = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0);
  return covariance / points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
}

/** Resident bytes of both ends, after `x` requests. */
interface Sample {
  readonly x: number;
  readonly caller: number;
  readonly engine: number;
}

/** Growth is that of the last four fifths: the first one fills pools and caches. */
function summaryOf(micros: Float64Array, seconds: number, samples: readonly Sample[]): Sustained {
  const settled = samples.slice(Math.floor(samples.length / 5));
  const per100 = (of: (sample: Sample) => number): number =>
    Math.round(slope(settled.map((sample) => ({ x: sample.x, y: of(sample) }))) * 100);
  const sorted = micros.sort();
  return {
    seconds: Number(seconds.toFixed(1)),
    requests: micros.length,
    perSecond: Math.round(micros.length / seconds),
    p50Us: Math.round(sorted[Math.floor(micros.length / 2)]!),
    p99Us: Math.round(sorted[Math.floor(micros.length * 0.99)]!),
    callerBytesPer100: per100(({ caller }) => caller),
    engineBytesPer100: per100(({ engine }) => engine),
  };
}

/** After a pause of the machine the rest waits here, and its time counts. */
const mostUnderWay = 200;

/**
 * So many requests a second for so long, sent in ticks of a few milliseconds whatever the answers do; the
 * latency counts from the time at which a request was due.
 */
export async function sustain(
  call: Call,
  rate: number,
  seconds: number,
  enginePid: number,
): Promise<Sustained> {
  const micros = new Float64Array(Math.ceil(rate * seconds) + rate);
  const samples: Sample[] = [];
  let sent = 0;
  let done = 0;
  let failure: unknown;
  const started = performance.now();
  const send = async (due: number): Promise<void> => {
    await call();
    micros[done] = (performance.now() - due) * 1_000;
    done += 1;
  };
  for (let nextSample = 500; performance.now() - started < seconds * 1_000;) {
    const elapsed = performance.now() - started;
    const due = Math.min(Math.floor((elapsed * rate) / 1_000), micros.length);
    for (; sent < due && sent - done < mostUnderWay; sent += 1) {
      send(started + (sent * 1_000) / rate).catch((error: unknown) => (failure = error));
    }
    if (failure !== undefined) throw failure as Error;
    if (elapsed >= nextSample) {
      nextSample += 500;
      samples.push({ x: done, caller: residentBytes(process.pid), engine: residentBytes(enginePid) });
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  while (done < sent) await new Promise((resolve) => setTimeout(resolve, 1));
  return summaryOf(micros.subarray(0, done), (performance.now() - started) / 1_000, samples);
}

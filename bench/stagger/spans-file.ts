import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Played } from './play';

/** Microseconds since the begin of the run. */
type Row = readonly (string | number)[];

const phases = ['copyIn', 'etr', 'or', 'copyOut'];

function rowOf({ shard, status, endMs, engine, spans, passNs, beganNs }: Played): Row {
  const since = (ns: bigint): number => Number((ns - beganNs) / 1_000n);
  const times = phases.flatMap((phase) => {
    const found = spans.find((span) => span.phase === phase);
    return found === undefined ? [0, 0] : [since(found.startNs), since(found.endNs)];
  });
  const pass = passNs === null ? [0, 0] : passNs.map(since);
  const came = [Math.round(1_000 * shard.atMs), Math.round(1_000 * endMs)];
  return [shard.id, shard.model, shard.template.size, status, engine, ...came, ...pass, ...times];
}

/** Every shard of every run: when it came and was answered, when its pass and its phases began and ended. */
export class SpansFile {
  private readonly runs: { readonly name: string; readonly rows: readonly Row[] }[] = [];

  constructor(private readonly file: string) {}

  under(name: string): (played: readonly Played[]) => void {
    return (played) => void this.runs.push({ name, rows: played.map(rowOf) });
  }

  write(): void {
    const columns = ['id', 'model', 'size', 'status', 'engine', 'came', 'answered', 'passBegin', 'passEnd'];
    const ends = phases.flatMap((phase) => [`${phase}Begin`, `${phase}End`]);
    writeFileSync(
      this.file,
      gzipSync(JSON.stringify({ unit: 'us', columns: [...columns, ...ends], runs: this.runs })),
    );
  }
}

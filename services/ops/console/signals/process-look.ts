import type { ServiceLook } from '../../scrape/scrape-service';
import type { Kind } from './causes';
import { forgetAbsent } from './forget-absent';

/** A process, and which service it is. */
export interface ProcessLook {
  readonly look: ServiceLook;
  readonly kind: Kind;
}

const kinds = ['ingest', 'inference-worker', 'aggregator', 'ops'] as const;
const prefixes: readonly (readonly [string, Kind])[] = [
  ['ingest', 'ingest'],
  ['worker', 'inference-worker'],
  ['inference', 'inference-worker'],
  ['aggregator', 'aggregator'],
];

/** Which service a process is: by its metrics, by what it said before it fell silent, by the name of its target. */
export class Kinds {
  private readonly known = new Map<string, Kind>();

  of(looks: readonly ServiceLook[]): ProcessLook[] {
    forgetAbsent(this.known, new Set(looks.map(({ instance }) => instance.name)));
    return looks.map((look) => ({ look, kind: this.kindOf(look) }));
  }

  private kindOf({ instance: { name }, series }: ServiceLook): Kind {
    const label = series.find((one) => one.name === 'dispatch_build_info')?.labels['service'];
    const said = kinds.find((kind) => kind === label);
    if (said !== undefined) this.known.set(name, said);
    const byName = prefixes.find(([prefix]) => name.startsWith(prefix))?.[1];
    return said ?? this.known.get(name) ?? byName ?? 'other';
  }
}

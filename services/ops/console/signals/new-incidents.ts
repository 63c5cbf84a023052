import type { Signal } from '#policy/operations/signals';
import type { ServiceLook } from '../../scrape/scrape-service';
import { ofProcess, signal, type Kind } from './causes';
import { forgetAbsent } from './forget-absent';

/** Incidents that were not there at the look before. What a worker kept from before it was seen first is of the past. */
export class NewIncidents {
  private readonly known = new Map<string, ReadonlySet<string>>();
  private seen = new Set<string>();

  saw(looks: readonly ServiceLook[], kinds: ReadonlyMap<string, Kind>): Signal[] {
    const found: Signal[] = [];
    forgetAbsent(this.known, new Set(looks.map(({ instance }) => instance.name)));
    for (const { instance, fault, incidents } of looks) {
      if (fault !== null) continue;
      const before = this.known.get(instance.name);
      const fresh = before === undefined ? [] : incidents.filter(({ id }) => !this.seen.has(id));
      this.known.set(instance.name, new Set(incidents.map(({ id }) => id)));
      const after = ofProcess(kinds.get(instance.name) ?? 'other', instance.name);
      for (const { id, kind, role, reason } of fresh) {
        const words = `gave up its ${role} engine (${kind.replaceAll('_', ' ')}): ${reason}`;
        const line = ['bad', instance.name, words, 'RoundhouseEngineLost'] as const;
        found.push(
          signal(`incident:${instance.name}`, line, after, {
            times: 1,
            report: { worker: instance.name, id },
          }),
        );
      }
    }
    this.seen = new Set([...this.known.values()].flatMap((ids) => [...ids]));
    return found;
  }
}

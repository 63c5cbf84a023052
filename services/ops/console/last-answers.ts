import type { ServiceLook } from '../scrape/scrape-service';

/** What a process said last of its engines and incidents, while it says nothing: just then they matter. */
export class LastAnswers {
  private last = new Map<string, ServiceLook>();

  of(looks: readonly ServiceLook[]): ServiceLook[] {
    const remembered = looks.map((look) => (look.fault === null ? look : this.withLast(look)));
    this.last = new Map(remembered.map((look) => [look.instance.name, look]));
    return remembered;
  }

  private withLast(look: ServiceLook): ServiceLook {
    const { engines = [], incidents = [] } = this.last.get(look.instance.name) ?? {};
    const reason = 'its worker does not answer';
    return {
      ...look,
      incidents,
      engines: engines.map((engine) => ({ ...engine, state: 'unknown', reason })),
    };
  }
}

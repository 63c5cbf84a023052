import type { Signal } from '#policy/operations/signals';
import { Happenings } from './happenings';
import { processSignals } from './processes';
import { queueSignals } from './queues';
import { serverSignals } from './servers';
import { SlowBrokers } from './slow-brokers';
import type { SignalSources } from './sources';

/** What is wrong, and what happened, look by look; causes stand before what may follow from them. */
export class SignalFinder {
  private readonly happenings = new Happenings();
  private readonly slowBrokers = new SlowBrokers();

  saw(sources: SignalSources, at: number): Signal[] {
    const { before, after } = this.happenings.saw(sources.processes, sources.steps, at);
    return [
      ...serverSignals(sources),
      ...this.slowBrokers.saw(sources.kafkaLookMs),
      ...before,
      ...processSignals(sources.processes),
      ...after,
      ...queueSignals(sources),
    ];
  }
}

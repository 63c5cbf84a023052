import type { WorkerEvents } from '../events';
import { incidentWords } from './incident-words';

/** Incidents of one engine, and when there is another one in its place, are told to the user of the launcher as well. */
export function withIncidentsTold(events: WorkerEvents, tell: (line: string) => void): WorkerEvents {
  let isAwaited = false;
  return {
    ...events,
    EngineLost: (facts) => {
      events.EngineLost(facts);
      isAwaited = true;
    },
    EngineActivated: (facts) => {
      events.EngineActivated(facts);
      const { enginePid, downSeconds } = facts;
      if (isAwaited) tell(`an engine serves again, ${downSeconds.toFixed(1)} s later (process ${enginePid})`);
      isAwaited = false;
    },
    IncidentReported: (facts) => {
      events.IncidentReported(facts);
      // It serves by now: it did before the loss was told.
      if (facts.reaction === 'standby_took_over') isAwaited = false;
      tell(incidentWords(facts));
    },
    CircuitChanged: (facts) => {
      events.CircuitChanged(facts);
      if (facts.state !== 'closed') return;
      isAwaited = false;
      tell('an engine stays up again: its partitions are taken back');
    },
  };
}

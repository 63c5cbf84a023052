import { shownText } from '#schemas/shown-text';
import type { ProcessEvent } from './processes';

/** What became of a process of the pipeline, in words. */
export function processEventLine(event: ProcessEvent): string {
  switch (event.kind) {
    case 'ready':
      return `${event.name} is ready (pid ${event.pid})`;
    case 'awaited':
      return `waiting for ${event.name}${event.words === '' ? '' : ` (${shownText(event.words, 200)})`}`;
    case 'told':
      return `${event.name}: ${shownText(event.words, 1_000)}`;
    case 'exited':
      return `${event.name} ended: ${event.reason}${event.again ? '; it is started again' : ''}`;
    case 'gaveUp':
      return `${event.name} is given up: ${event.reason}; its log: ${event.logFile}`;
  }
}

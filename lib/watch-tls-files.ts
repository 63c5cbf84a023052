import { followedTls } from './followed-tls';
import { defineEvents, event, type Telemetry } from './telemetry';

export const tlsEvents = {
  TlsFilesFollowed: event<{ readonly files: string }>({
    level: 'info',
    counter: {
      name: 'dispatch_tls_changes_total',
      help: 'Changes of certificates and keys that were taken, for connections from then on.',
    },
  }),
  TlsFilesRefused: event<{ readonly files: string; readonly reason: string }>({
    level: 'error',
    counter: {
      name: 'dispatch_tls_changes_refused_total',
      help: 'Changes of certificates and keys that could not be taken; the old ones hold.',
    },
  }),
};

const everyMs = 2_000;

/** Looks at the certificates and keys that this process has opened, every two seconds and for as long as it runs. */
export function watchTlsFiles(telemetry: Telemetry): void {
  const events = defineEvents(telemetry, tlsEvents);
  const look = (): void => {
    for (const one of followedTls()) {
      const looked = one.look();
      if (looked === 'changed') events.TlsFilesFollowed({ files: one.paths });
      else if (looked !== 'same') events.TlsFilesRefused({ files: one.paths, reason: looked.refused });
    }
  };
  setInterval(look, everyMs).unref();
}

import { followedFiles } from './followed-files';
import { defineEvents, event, type Telemetry } from './telemetry';

interface Followed {
  readonly files: string;
}
interface Refused extends Followed {
  readonly reason: string;
}

const events = {
  TlsFilesFollowed: event<Followed>({
    level: 'info',
    counter: {
      name: 'dispatch_tls_changes_total',
      help: 'Changes of certificates and keys that were taken, for connections from then on.',
    },
  }),
  TlsFilesRefused: event<Refused>({
    level: 'error',
    counter: {
      name: 'dispatch_tls_changes_refused_total',
      help: 'Changes of certificates and keys that could not be taken; the old ones hold.',
    },
  }),
  PasswordFollowed: event<Followed>({
    level: 'info',
    counter: {
      name: 'dispatch_password_changes_total',
      help: 'Changes of files of passwords that were taken, for connections from then on.',
    },
  }),
  PasswordRefused: event<Refused>({
    level: 'error',
    counter: {
      name: 'dispatch_password_changes_refused_total',
      help: 'Changes of files of passwords that could not be taken; the old ones hold.',
    },
  }),
};

const everyMs = 2_000;

/** Looks at the certificates, keys and passwords that this process has opened, every two seconds and for as long as it runs. */
export function watchFiles(telemetry: Telemetry): void {
  const { TlsFilesFollowed, TlsFilesRefused, PasswordFollowed, PasswordRefused } = defineEvents(
    telemetry,
    events,
  );
  const of = {
    tls: { taken: TlsFilesFollowed, refused: TlsFilesRefused },
    password: { taken: PasswordFollowed, refused: PasswordRefused },
  };
  const look = (): void => {
    for (const one of followedFiles()) {
      const looked = one.look();
      if (looked === 'changed') of[one.kind].taken({ files: one.paths });
      else if (looked !== 'same') of[one.kind].refused({ files: one.paths, reason: looked.refused });
    }
  };
  setInterval(look, everyMs).unref();
}

import { event, type defineEvents } from '#lib/telemetry';

export const attemptEnds = [
  'good',
  'refused',
  'busy',
  'without_model',
  'down',
  'lost',
  'doubtful',
  'late',
  'overdue',
  'withdrawn',
] as const;
export type AttemptEndName = (typeof attemptEnds)[number];

/** Names of remotes are bounded by what is announced; the first 64 have a series of their own. */
const mostNames = 64;

const usable = { name: 'dispatch_remote_usable', help: '1 while a remote gets work.' };

export const remoteEvents = {
  RemoteFound: event<{ name: string; address: string; kind: string }>({
    level: 'info',
    labels: { name: mostNames },
    foresees: ['name'],
    counter: {
      name: 'dispatch_remotes_found_total',
      help: 'Remote engines that were announced or listed anew.',
      labels: [],
    },
    gauge: { ...usable, value: () => 0 },
  }),
  /** Listed, but it is this worker itself. */
  RemoteIsOwn: event<{ name: string; address: string }>({ level: 'warn' }),
  RemoteGone: event<{ name: string }>({
    level: 'info',
    labels: { name: mostNames },
    counter: {
      name: 'dispatch_remotes_gone_total',
      help: 'Remote engines whose lease ended, or that are listed no more.',
      labels: [],
    },
    gauge: { ...usable, value: () => null },
  }),
  RemoteUsable: event<{ name: string; usable: boolean }>({
    level: 'warn',
    labels: { name: mostNames },
    gauge: { ...usable, value: ({ usable: isUsable }) => Number(isUsable) },
  }),
  /** It doesn't say that it is live, for another reason than the last one. */
  RemoteSilent: event<{ name: string; address: string; reason: string }>({ level: 'warn' }),
  RemotesKnown: event<{ usable: number; known: number }>({
    level: 'trace',
    gauge: { name: 'dispatch_remotes_usable', help: 'Remotes that get work.', value: ({ usable }) => usable },
  }),
  /** `elapsedMs` from its sending to its end. */
  RemoteAnswered: event<{ name: string; end: AttemptEndName; elapsedMs: number; detail: string }>({
    level: 'debug',
    labels: { name: mostNames, end: attemptEnds },
    counter: {
      name: 'dispatch_remote_attempts_total',
      help: 'Shards sent to remote engines, by what became of them.',
    },
    histogram: {
      name: 'dispatch_remote_seconds',
      help: 'From the sending of a shard to a remote to its end.',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      value: ({ elapsedMs }) => elapsedMs / 1_000,
    },
  }),
  /** Entries that can't be read, or a list that can't be had: the last good one goes on. */
  RemotesUnreadable: event<{ source: string; reason: string }>({
    level: 'warn',
    counter: {
      name: 'dispatch_remotes_unreadable_total',
      help: 'Lists of remotes, or entries of them, that could not be read.',
    },
  }),
  AnnouncementFailed: event<{ reason: string }>({
    level: 'warn',
    counter: {
      name: 'dispatch_announcements_failed_total',
      help: 'Announcements of our engines that Redis did not take.',
    },
  }),
};

/** As a worker has them among its own. */
export type RemoteEvents = ReturnType<typeof defineEvents<typeof remoteEvents>>;

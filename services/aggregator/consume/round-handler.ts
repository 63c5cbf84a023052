import { requireValue } from '#lib/bus/message-value';
import type { BusMessage, Lease } from '#lib/bus/port';
import { roundsCodec } from '#schemas/codec';
import type { RoundManifest } from '#schemas/domain';
import { headers as names } from '#schemas/topics';
import type { RoundDecider } from '../decide/round-decider';
import type { Admission } from '../join/admission';
import type { DeadLetterBox } from './dead-letter-box';
import { checkManifest } from './manifest-fault';

function tracestateOf({ headers }: BusMessage): { readonly tracestate?: string } {
  const tracestate = headers[names.tracestate];
  return tracestate === undefined ? {} : { tracestate };
}

/** Handles dispatch.rounds: resolves when the round's decision is acknowledged, so its offset waits for that. */
export class RoundHandler {
  private readonly assignedAt = new WeakMap<Lease, number>();

  constructor(
    private readonly admission: Admission,
    private readonly deadLetters: DeadLetterBox,
    private readonly decider: Pick<RoundDecider, 'foresee' | 'dismiss'>,
  ) {}

  assigned(leases: readonly Lease[]): void {
    for (const lease of leases) this.assignedAt.set(lease, Date.now());
  }

  async handle(message: BusMessage, lease: Lease): Promise<void> {
    if (message.value !== null) this.decider.foresee(message.value);
    try {
      await this.read(message, lease);
    } finally {
      if (message.value !== null) this.decider.dismiss(message.value);
    }
  }

  private async read(message: BusMessage, lease: Lease): Promise<void> {
    let manifest: RoundManifest;
    let bytes: Buffer;
    try {
      bytes = requireValue(message);
      manifest = roundsCodec.decode(bytes);
      checkManifest(manifest);
    } catch (error) {
      return this.deadLetters.put(message, lease, error);
    }
    const meta = {
      acceptedAt: message.timestamp,
      traceparent: message.headers[names.traceparent] ?? null,
      ...tracestateOf(message),
      receivedAt: message.headers[names.receivedAt] ?? null,
    };
    const cameLate = (this.assignedAt.get(lease) ?? 0) > message.timestamp;
    const refused = await this.admission.admit({ manifest, bytes, meta, cameLate, lease });
    if (refused !== null) await this.deadLetters.put(message, lease, refused);
  }
}

import type { BusProducer, OutgoingMessage } from '#lib/bus/port';
import { createTelemetry } from '#lib/telemetry';
import { headers, topicsOf } from '#schemas/topics';
import { buildRound } from '../../../test/support/build-round';
import { openRoundOf } from '../../../test/support/open-round';
import { aggregatorEvents } from '../events';
import { BrokerClock } from './broker-clock';
import { DecisionPublisher } from './decision-publisher';
import { LoopStalls } from './loop-stalls';
import { OutageLog } from './outage-log';

test('rh-sent-at follows the clock as it was measured last, not as it was at the start', async () => {
  jest.useFakeTimers({ now: 10_000 });
  try {
    const sent: OutgoingMessage[] = [];
    const producer = { send: async (messages: readonly OutgoingMessage[]) => void sent.push(...messages) };
    const skews = [40, 500];
    const clock = new BrokerClock(async () => skews.shift()!);
    const outages = new OutageLog(aggregatorEvents(createTelemetry({ service: 'test', logLevel: 'silent' })));
    const publisher = new DecisionPublisher(
      producer as unknown as BusProducer,
      topicsOf(''),
      outages,
      new LoopStalls(),
      clock,
    );
    const none = { models: [], shardCount: 0, shardCandidateCounts: [], shardOrders: [] };
    const open = openRoundOf({ round: buildRound(), ...none });
    const decision = { bytes: Buffer.from('decision'), phases: {}, effort: 'full' } as const;
    for (let measured = 0; measured < 2; measured++) {
      await clock.measure();
      await publisher.publish(open, decision, () => null);
    }
    // 10,000 - 40 and 10,000 - 500.
    expect(sent.map((message) => message.headers?.[headers.sentAt])).toEqual(['9960', '9500']);
  } finally {
    jest.useRealTimers();
  }
});

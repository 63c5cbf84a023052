import type { InferResponse } from '#lib/engine-client/port';
import { answerTimes, phaseSpans, type PhaseTime } from './answer-times';

/** Values are milliseconds after some time. */
function answer(outputs: Readonly<Record<string, readonly number[]>>): InferResponse {
  const named = Object.entries(outputs).map(([name, ms]) => {
    const ns = ms.map((value) => (value < 0 ? 0n : 1_800_000_000_000_000_000n + BigInt(value * 1_000_000)));
    const data = new Uint8Array(BigInt64Array.from(ns).buffer);
    return { name, datatype: 'INT64' as const, shape: [ms.length], data };
  });
  return { model: 'm', version: '1', outputs: named };
}

const msOf = (times: readonly PhaseTime[]) => times.map(({ phase, ms }) => [phase, ms]);

test('the phases that an answer tells, without those that did not happen', () => {
  const response = answer({ interval: [0, 20], phases: [0, 1, 1, 4, 4, 19, -1, -1] });
  expect(phaseSpans('candidate_cost', response).map(({ phase }) => phase)).toEqual(['copyIn', 'etr', 'or']);
  expect(msOf(answerTimes('candidate_cost', response, 30))).toEqual([
    // No more than the copy itself may take.
    ['copyIn', 0.25],
    ['etr', 3],
    ['or', 15],
    ['copyOut', 0.001],
  ]);
});

test('without phases the whole call is one: by its interval, else by the time of the call where that says anything', () => {
  const whole = (model: string, response: InferResponse, callMs: number | null = 30) =>
    msOf(answerTimes(model, response, callMs)).filter(([, ms]) => Number(ms) > 0.001);
  expect(whole('route_planner', answer({ interval: [2, 9] }))).toEqual([['or', 7]]);
  expect(whole('delivery_time', answer({}))).toEqual([['etr', 30]]);
  expect(answerTimes('delivery_time', answer({}), null)).toEqual([]);
});

test('times that are none are no phases', () => {
  expect(phaseSpans('m', answer({ phases: [5, 4, -1, 3, 4, 4, -1, -1] }))).toEqual([]);
  expect(phaseSpans('m', answer({ phases: [1, 2] }))).toEqual([]);
});

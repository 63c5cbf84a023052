import { judgeConsole, type Named } from './judge-console';

const named = (key: number, where: string, words: string, isFirst = false): Named => {
  return { key, level: 'bad', where, words, runbook: `R${key}`, isFirst };
};
const kafka = { where: /^Kafka$/, words: /does not answer/ };

test('the cause above all others, or among them, with its page', () => {
  const first = named(1, 'Kafka', 'does not answer: a', true);
  const other = named(2, 'worker', 'ended');
  expect(judgeConsole([other, first], kafka)).toEqual({
    ...{ found: 'first', runbook: 'R1', cause: 'Kafka: does not answer: a', others: ['worker: ended'] },
  });
  expect(judgeConsole([other, { ...first, isFirst: false }], kafka).found).toBe('named');
});

test('other words of the same cause are no other cause, and of those that change the last count', () => {
  const lines = [
    named(1, 'Kafka', 'is silent'),
    named(1, 'Kafka', 'does not answer'),
    named(2, 'g', '11 s behind'),
    named(2, 'g', '12 s behind'),
  ];
  expect(judgeConsole(lines, kafka)).toMatchObject({ found: 'named', others: ['g: 12 s behind'] });
});

test('what was not named lacks; where nothing is to be found it does not', () => {
  expect(judgeConsole([named(1, 'worker', 'does not answer')], kafka)).toMatchObject({
    found: 'lacking',
    cause: null,
  });
  expect(judgeConsole([], null)).toEqual({ found: null, runbook: null, cause: null, others: [] });
});

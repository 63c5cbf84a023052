import { loadConfig, topicSettings } from '#lib/config';
import { topicsOf } from '#schemas/topics';
import { topicConfigEntries, topicSpecs } from './topic-specs';

function retentions(env: Record<string, string>): Record<string, string> {
  const specs = topicSpecs(topicsOf(''), loadConfig(env, topicSettings));
  return Object.fromEntries(
    specs.map((spec) => {
      const entry = topicConfigEntries(spec).find(({ name }) => name === 'retention.ms')!;
      return [spec.topic.replace('dispatch.', ''), entry.value];
    }),
  );
}

test('what carries coordinates is kept for an hour, dead letters too; decisions for a day', () => {
  expect(retentions({})).toEqual({
    rounds: '3600000',
    shards: '3600000',
    outcomes: '3600000',
    observations: '3600000',
    decisions: '86400000',
    'dead-letters': '3600000',
  });
});

test('dead letters are kept as long as rounds unless the environment says otherwise', () => {
  const rounds = { ROUNDHOUSE_ROUND_RETENTION_MS: '120000' };
  expect(retentions(rounds)).toMatchObject({ rounds: '120000', 'dead-letters': '120000' });
  const both = { ...rounds, ROUNDHOUSE_DEAD_LETTER_RETENTION_MS: '90000' };
  expect(retentions(both)).toMatchObject({ rounds: '120000', 'dead-letters': '90000' });
});

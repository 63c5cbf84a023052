import { readFileSync } from 'node:fs';
import { projectPath } from '#schemas/project-root';
import { boundFault, configLimits } from './config-bounds';

test.each(['candidate_cost', 'delivery_time', 'route_planner'])(
  '%s, as it is shipped, is within them',
  (model) => {
    expect(boundFault(readFileSync(projectPath('models', model, 'config.pbtxt'), 'utf8'))).toBeNull();
  },
);

const group = (count: string) => `instance_group [ { kind: KIND_CPU count: ${count} } ]`;
const warmUp = (count: string, batch: string, dims: string) =>
  `model_warmup [ { name: "w" count: ${count} batch_size: ${batch} inputs { key: "x" value { dims: [ ${dims} ] } } } ]`;

const state = (dims: string, initial: string) =>
  `sequence_batching { state { dims: [ ${dims} ] initial_state { dims: [ ${initial} ] } } }`;

/**
 * 256 instances; 65,536 a batch; 4,096 candidates; 262,144 sequences; 16,777,216 values of states; 1,000 warm-ups with
 * 16,777,216 values.
 */
test.each([
  [group('256')],
  [group('0')],
  [group('-1')],
  [`${group('128')}\n${group('128')}`],
  ['max_batch_size: 65536'],
  ['sequence_batching { oldest { max_candidate_sequences: 4096 } }'],
  // 4 × 65,536 and 64 × 4,096 = 262,144
  [`${group('4')} max_batch_size: 65536 sequence_batching { direct { } }`],
  [`${group('64')} sequence_batching { oldest { max_candidate_sequences: 4096 } }`],
  [`${group('256')} max_batch_size: 65536`],
  // 8,388,608 + 8,388,608 = 16,777,216
  [state('8388608', '8388608')],
  ['instance_group { count: 128 gpus: [ 0, 1, 2, 3 ] }'],
  // 4,096 × 4,096 = 16,777,216
  [warmUp('1000', '4096', '4096, -1')],
  ['parameters { key: "instance_group { count: 1000 }" value { string_value: "1000" } }'],
  ['# instance_group { count: 1000 }'],
])('%s is within them', (text) => {
  expect(boundFault(text)).toBeNull();
});

test.each([
  [group('100000'), '1:42: instance_group.count, all groups together, is 100000, the limit is 256'],
  [group('0x101'), '1:42: instance_group.count, all groups together, is 257, the limit is 256'],
  [group('0401'), '1:42: instance_group.count, all groups together, is 257, the limit is 256'],
  // 200 + 57 = 257
  [
    `${group('200')}\n${group('57')}`,
    '2:42: instance_group.count, all groups together, is 257, the limit is 256',
  ],
  ['max_batch_size: 65537', '1:17: max_batch_size is 65537, the limit is 65536'],
  [
    'sequence_batching {\n oldest: < max_candidate_sequences: 4097 > }',
    '2:37: sequence_batching.oldest.max_candidate_sequences is 4097, the limit is 4096',
  ],
  [warmUp('1001', '1', '1'), '1:35: model_warmup.count, all together, is 1001, the limit is 1000'],
  // 2 × 8,388,609 = 16,777,218
  [
    warmUp('1', '2', '8388609'),
    '1:85: model_warmup.inputs.dims, times batch_size, all together, is 16777218, the limit is 16777216',
  ],
  // 16,777,216 + 1
  [
    `${warmUp('1', '1', '16777216')}\n${warmUp('1', '1', '1')}`,
    '2:85: model_warmup.inputs.dims, times batch_size, all together, is 16777217, the limit is 16777216',
  ],
  // 5 × 65,536
  [
    `${group('5')} max_batch_size: 65536 sequence_batching { direct { } }`,
    '1:88: sequence_batching, instances times max_batch_size or max_candidate_sequences, is 327680, the limit is 262144',
  ],
  // 65 × 4,096
  [
    `${group('65')} sequence_batching { oldest { max_candidate_sequences: 4096 } }`,
    '1:67: sequence_batching, instances times max_batch_size or max_candidate_sequences, is 266240, the limit is 262144',
  ],
  // 1 + 10^12
  [
    state('-1', '1000000000000'),
    '1:66: sequence_batching.state.dims, with initial_state, all together, is 1000000000001, the limit is 16777216',
  ],
  // 2 × 129
  [
    'instance_group { count: 129 gpus: [ 0, 1, 0 ] }',
    '1:25: instance_group.count, all groups together, is 258, the limit is 256',
  ],
  ['a{'.repeat(51), '1:102: more than 50 messages in one another'],
  [' '.repeat(configLimits.bytes + 1), '0:0: the file has 262145 bytes, the limit is 262144'],
])('%.80s is beyond them', (text, words) => {
  const { line, column, reason } = boundFault(text)!;
  expect(`${line}:${column}: ${reason}`).toBe(words);
});

/** A group without a count has one instance: 257 of them. */
test('as many groups as one likes are no way around', () => {
  expect(boundFault('instance_group { }'.repeat(256))).toBeNull();
  expect(boundFault('instance_group { }'.repeat(257))).not.toBeNull();
});

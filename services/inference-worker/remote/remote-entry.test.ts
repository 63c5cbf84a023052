import { isAddress, readEntries } from './remote-entry';

test('entries with their defaults', () => {
  const engines = [
    { address: '10.0.0.7:8001' },
    { name: 'triton-1', address: '[::1]:9001', kind: 'triton', device: 'gpu:NVIDIA H200' },
  ];
  expect(readEntries({ engines })).toEqual({
    entries: [
      { name: '10.0.0.7:8001', address: '10.0.0.7:8001', kind: 'worker', device: '' },
      { name: 'triton-1', address: '[::1]:9001', kind: 'triton', device: 'gpu:NVIDIA H200' },
    ],
    faults: [],
  });
});

test.each([[undefined], [null], [[]], [{}], [{ engines: {} }], [{ engines: Array(1_001).fill({}) }]])(
  'no list of engines: %.30j',
  (value) => {
    const { entries, faults } = readEntries(value);
    expect([entries, faults[0]!.path]).toEqual([[], 'engines']);
  },
);

test('every fault at once, by its place', () => {
  const engines = [
    'host:1',
    { address: 'host' },
    { address: 'host:99999', kind: 'server' },
    { address: 'host:1', name: 'a b', device: 7 },
    { address: 'host:2', port: 3 },
    { address: 'unix:/tmp/socket' },
    { address: 'host:4', name: 'twice' },
    { address: 'host:5', name: 'twice' },
  ];
  const { entries, faults } = readEntries({ engines });
  expect(faults.map(({ path }) => path)).toEqual([
    'engines[0]',
    'engines[1].address',
    'engines[2].address',
    'engines[2].kind',
    'engines[3].name',
    'engines[3].device',
    'engines[4].port',
    'engines[5].address',
    'engines[7].name',
  ]);
  expect(entries.map(({ address }) => address)).toEqual(['host:4', 'host:5']);
});

test('addresses', () => {
  const good = ['host:1', 'a-b.example:8001', '127.0.0.1:65535', '[fe80::1%eth0]:80'];
  const bad = [
    'host',
    'host:0',
    'host:65536',
    ':80',
    'http://host:80',
    'ho st:80',
    'host:80/x',
    `${'h'.repeat(256)}:80`,
  ];
  expect(good.filter((text) => !isAddress(text))).toEqual(['[fe80::1%eth0]:80']);
  expect(bad.filter(isAddress)).toEqual([]);
});

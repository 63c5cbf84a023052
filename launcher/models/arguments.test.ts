import { readInvocation } from './arguments';

test('a label with its versions and its share', () => {
  expect(
    readInvocation([
      'label',
      'canary',
      'candidate_cost=2',
      'delivery_time=3',
      '--share',
      '10%',
      '--url',
      'a:1',
      '--url=b:2',
    ]),
  ).toMatchObject({
    command: 'label',
    label: 'canary',
    share: 0.1,
    urls: ['a:1', 'b:2'],
    models: [
      { model: 'candidate_cost', version: '2' },
      { model: 'delivery_time', version: '3' },
    ],
  });
  expect(readInvocation(['label', 'canary', '--share=0.25'])).toMatchObject({ share: 0.25, models: [] });
  expect(readInvocation(['list'])).toMatchObject({ urls: ['127.0.0.1:8001'], json: false });
});

test.each([
  [[], /^a command is wanted/],
  [['lost'], /^"lost": a command is wanted: list, load/],
  [['list', 'a'], /takes no models/],
  [['load'], /no model is named/],
  [['list', '--url', 'a:0'], /--url is "a:0": host:port is wanted, a port from 1 to 65535/],
  [['list', '--url', 'a:65536'], /a port from 1 to 65535/],
  [['load', 'a=1'], /without a version/],
  [['retire', 'a'], /MODEL=VERSION/],
  [['label', 'shiny', 'a=1'], /a label is wanted/],
  [['label', 'stable'], /nothing to change/],
  [['label', 'stable', '--share', '10%'], /canary/],
  [['label', 'canary', '--share', '101%'], /--share/],
  [['label', 'canary', '--share', '1.1'], /--share/],
  [['label', 'canary', '--share', '-1'], /--share/],
  [['label', 'canary', '--share', '1e-1'], /--share/],
  [['label', 'canary', '../a=1'], /is not a model name/],
  [['label', 'canary', '/etc=1'], /is not a model name/],
  [['label', 'canary', 'a/b=1'], /is not a model name/],
  [['label', 'canary', 'a=1/../2'], /is not a version/],
  [['label', 'canary', 'a=../1'], /is not a version/],
  [['label', 'canary', 'a=0'], /is not a version/],
  [['label', 'canary', 'a=1=2'], /is not a version/],
  [['load', '..'], /is not a model name/],
  [['load', 'a\0'], /is not a model name/],
  [['load', 'ａ'], /is not a model name/],
  [['load', 'a', '--url', 'nowhere'], /host:port/],
  [['load', 'a', '--urls', 'b:1'], /did you mean --url/],
])('%j is refused', (argv, reason) => {
  expect(() => readInvocation(argv)).toThrow(reason);
});

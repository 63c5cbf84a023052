import { parseOptions } from './options';

describe('the options of bench -- remote', () => {
  it('have defaults', () => {
    expect(parseOptions([])).toEqual({
      sizes: [65_536, 1_048_576, 4_194_304],
      concurrencies: [1, 4],
      seconds: 2,
      network: 'auto',
      transports: 'tcp',
      switches: 20,
    });
  });

  it.each([
    [['--network', 'moon'], '--network'],
    [['--sizes', '1,x'], '--sizes'],
    [['--seconds', '-1'], '--seconds'],
    [['--more'], 'more'],
  ])('refuse %j', (argv, name) => expect(() => parseOptions(argv)).toThrow(name));
});

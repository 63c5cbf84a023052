import { configError } from './config-error';
import { ArgumentsInvalid, errorText, numberFlag, readFlags, runCommand } from './command-line';
import { RoundhouseError } from '#schemas/errors';

const options = { limit: { type: 'string' }, follow: { type: 'boolean' } } as const;

test('flags are read', () => {
  expect({ ...readFlags(['--limit', '5', '--follow'], options) }).toEqual({ limit: '5', follow: true });
  expect({ ...readFlags(['--limit=5'], options) }).toEqual({ limit: '5' });
  expect({ ...readFlags(['--limit='], options) }).toEqual({ limit: '' });
});

test.each([
  [['--limti', '5'], 'unknown flag --limti: did you mean --limit?'],
  [['--zzzzzzzzz=5'], 'unknown flag --zzzzzzzzz: the flags are --limit, --follow'],
  [['--limit'], '--limit needs a value'],
  [['--limit', '--follow'], '--limit needs a value'],
  [['--limit', '-x'], '--limit needs a value'],
  [['--follow=x'], '--follow'],
  [['words'], 'words'],
])('%j is refused', (argv, reason) => {
  expect(() => readFlags(argv, options)).toThrow(ArgumentsInvalid);
  expect(() => readFlags(argv, options)).toThrow(reason);
});

// Node took the number for a flag, and told how to write `--limit=-5`, which is out of its range, too.
test.each(['-5', '-0.5', '-.5'])('%s behind a flag is its value', (given) => {
  expect({ ...readFlags(['--limit', given, '--follow'], options) }).toEqual({ limit: given, follow: true });
});

test('numbers within their range', () => {
  const whole = { default: 7, min: 1, max: 10 };
  expect([numberFlag('n', undefined, whole), numberFlag('n', '10', whole)]).toEqual([7, 10]);
  expect(numberFlag('n', '0.5', { ...whole, min: 0, whole: false })).toBe(0.5);
  for (const given of ['0', '11', '1.5', '1e1', '', '-1', 'many', '0x5']) {
    expect(() => numberFlag('n', given, whole)).toThrow(`--n is ${given}: a whole number from 1 to 10`);
  }
});

test('an error in words', () => {
  expect(errorText(new RoundhouseError('PORT_IN_USE', 'port 1'))).toBe('PORT_IN_USE: port 1');
  expect([errorText(new Error('plain')), errorText('text')]).toEqual(['plain', 'text']);
});

describe('a command', () => {
  const written = { out: '', err: '' };
  const spies: jest.SpyInstance[] = [];
  beforeEach(() => {
    Object.assign(written, { out: '', err: '' });
    // Where another file of the same run has failed it says so.
    process.exitCode = undefined;
    const catching = (name: 'out' | 'err') => (text: unknown) => ((written[name] += String(text)), true);
    spies.push(jest.spyOn(process.stdout, 'write').mockImplementation(catching('out')));
    spies.push(jest.spyOn(process.stderr, 'write').mockImplementation(catching('err')));
  });
  afterEach(() => {
    spies.splice(0).forEach((spy) => spy.mockRestore());
    process.exitCode = undefined;
  });
  let ended = 0;
  beforeEach(() => (ended = 0));
  const runIt = (argv: string[], run: () => unknown) =>
    runCommand(
      { usage: 'usage: words', parse: (words) => readFlags(words, options), run },
      argv,
      () => (ended += 1),
    );
  const neverRun = () => Promise.reject(new Error('it ran'));

  test('asked for help prints its usage and does nothing', async () => {
    await runIt(['--nope', '--help'], neverRun);
    expect([written, process.exitCode]).toEqual([{ out: 'usage: words\n', err: '' }, undefined]);
  });

  test('with a wrong flag says so in a line, without a stack', async () => {
    await runIt(['--nope'], neverRun);
    expect(written.err).toBe('unknown flag --nope: the flags are --limit, --follow\n\nusage: words\n');
    expect(process.exitCode).toBe(2);
  });

  test('with a long usage gets a hint instead of it', async () => {
    const usage = 'words\n'.repeat(9);
    await runCommand(
      { usage, parse: () => readFlags(['--nope'], options), run: neverRun },
      [],
      () => (ended += 1),
    );
    expect(written.err).toMatch(/^unknown flag --nope: .*\n\n--help shows how it is called\n$/);
  });

  test('that fails says why; one that resolves to a code ends with it, whatever still holds the process', async () => {
    await runIt([], () => Promise.reject(new Error('no broker')));
    expect([written.err, process.exitCode]).toEqual(['no broker\n', 1]);
    await runIt([], () => 3);
    expect([process.exitCode, ended]).toEqual([3, 2]);
  });

  test('with settings that can’t be used names them and ends as a service does', async () => {
    const fault = { path: 'KAFKA_BROKERS', value: 'x', limit: 'host:port' };
    await runIt([], () => Promise.reject(configError([fault])));
    expect(written.err).toBe(
      'CONFIG_INVALID: 1 fault in the configuration:\n  KAFKA_BROKERS="x": host:port\n',
    );
    expect(process.exitCode).toBe(2);
  });

  test('that was told to end does so without words', async () => {
    await runIt([], () => Promise.reject(Object.assign(new Error('ended by SIGINT'), { exitCode: 130 })));
    expect([written, process.exitCode]).toEqual([{ out: '', err: '' }, 130]);
  });
});

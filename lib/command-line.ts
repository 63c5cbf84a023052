import { parseArgs, type ParseArgsConfig } from 'node:util';
import { nearestName } from '#schemas/nearest-name';
import { RoundhouseError } from '#schemas/errors';
import { shownText } from '#schemas/shown-text';

/** A command line that can't be followed: every fault in one message. */
export class ArgumentsInvalid extends Error {}

type Options = NonNullable<ParseArgsConfig['options']>;

/** Throws ArgumentsInvalid where a flag is unknown or has no value, or for an argument that is no flag. */
export function readFlags<const O extends Options>(
  argv: readonly string[],
  options: O,
): ReturnType<typeof parseArgs<{ options: O }>>['values'] {
  const args = withNegatives(argv, options);
  const fault = unknownFlag(args, options) ?? lackingValue(args, options);
  if (fault !== null) throw new ArgumentsInvalid(fault);
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new ArgumentsInvalid((error as Error).message);
  }
}

function takesValue(word: string, options: Options): boolean {
  return word.startsWith('--') && options[word.slice(2)]?.type === 'string';
}

/** A negative number behind a flag is its value, as `--flag=-5` is: whoever reads it names the range. */
function withNegatives(argv: readonly string[], options: Options): string[] {
  const args: string[] = [];
  for (const word of argv) {
    const flag = args.at(-1);
    const isValue = flag !== undefined && /^-[\d.]/.test(word) && takesValue(flag, options);
    if (isValue) args[args.length - 1] = `${flag}=${word}`;
    else args.push(word);
  }
  return args;
}

function lackingValue(args: readonly string[], options: Options): string | null {
  const lacking = args.find(
    (word, index) => takesValue(word, options) && (args[index + 1] ?? '-').startsWith('-'),
  );
  return lacking === undefined ? null : `${lacking} needs a value`;
}

function unknownFlag(argv: readonly string[], options: Options): string | null {
  const names = Object.keys(options);
  for (const word of argv) {
    const name = /^--([^=]+)/.exec(word)?.[1];
    if (name === undefined || names.includes(name)) continue;
    const nearest = nearestName(name, names);
    const known =
      nearest === null
        ? `the flags are ${names.map((one) => `--${one}`).join(', ')}`
        : `did you mean --${nearest}?`;
    return `unknown flag --${shownText(name, 100)}: ${known}`;
  }
  return null;
}

/** The number of a flag, or the default where it is absent; throws ArgumentsInvalid with the range. */
export function numberFlag(
  flag: string,
  given: string | undefined,
  limits: { readonly default: number; readonly min: number; readonly max: number; readonly whole?: boolean },
): number {
  if (given === undefined) return limits.default;
  const { min, max, whole = true } = limits;
  const value = /^\d+(\.\d+)?$/.test(given) ? Number(given) : NaN;
  if (value >= min && value <= max && (!whole || Number.isInteger(value))) return value;
  const kind = whole ? 'a whole number' : 'a number';
  throw new ArgumentsInvalid(`--${flag} is ${shownText(given, 100)}: ${kind} from ${min} to ${max}`);
}

/** The first of the choices where the flag is absent; throws ArgumentsInvalid with all of them. */
export function choiceFlag<const T extends string>(
  flag: string,
  given: string | undefined,
  choices: readonly [T, ...T[]],
): T {
  if (given === undefined) return choices[0];
  const found = choices.find((choice) => choice === given);
  if (found !== undefined) return found;
  throw new ArgumentsInvalid(`--${flag} is ${shownText(given, 100)}: one of ${choices.join(', ')}`);
}

/** An error as a user reads it: our codes stand before their message, nothing has a stack. */
export function errorText(error: unknown): string {
  if (error instanceof RoundhouseError) return `${error.code}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

export interface Command<Parsed> {
  readonly usage: string;
  /** Throws ArgumentsInvalid. */
  parse(argv: readonly string[]): Parsed;
  run(parsed: Parsed): unknown;
}

/** What still holds the process after its run gets so long. */
const lastWordsMs = 500;

function endProcessSoon(): void {
  setTimeout(() => process.exit(), lastWordsMs).unref();
}

/**
 * A program with a command line: `--help` prints the usage and ends with 0; a command line that can't be
 * followed gets one message and the usage, or where it is long a hint, and ends with 2; so do settings that can't be
 * used, each named; a run that rejects, its message and 1. A run may resolve to another exit code.
 */
export async function runCommand<Parsed>(
  command: Command<Parsed>,
  argv = process.argv.slice(2),
  endSoon: () => void = endProcessSoon,
): Promise<void> {
  if (argv.includes('--help') || argv.includes('-h')) return void process.stdout.write(`${command.usage}\n`);
  try {
    const code = await command.run(command.parse(argv));
    if (typeof code === 'number') process.exitCode = code;
  } catch (error) {
    process.exitCode = tellFailure(error, command.usage);
  }
  endSoon();
}

/** A longer one would push the fault out of sight. */
const mostUsageLines = 8;

function usageBehindFault(usage: string): string {
  return usage.split('\n').length <= mostUsageLines ? usage : '--help shows how it is called';
}

/** Who was told to end (an error with an exit code of its own) needs no words. */
function tellFailure(error: unknown, usage: string): number {
  const { exitCode } = error as { exitCode?: unknown };
  if (typeof exitCode === 'number') return exitCode;
  const isOfTheUser = error instanceof ArgumentsInvalid;
  process.stderr.write(`${errorText(error)}\n${isOfTheUser ? `\n${usageBehindFault(usage)}\n` : ''}`);
  return isOfTheUser || isOfSettings(error) ? 2 : 1;
}

/** Named one by one, as of a service's environment. */
function isOfSettings(error: unknown): boolean {
  return error instanceof RoundhouseError && error.code === 'CONFIG_INVALID' && error.faults.length > 0;
}

/** Throws ArgumentsInvalid. `given`: numbers of 0 and above, separated by commas. */
export function numberList(flag: string, given: string): number[] {
  const values = given.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
  if (values.every((value) => Number.isFinite(value) && value >= 0)) return values;
  throw new ArgumentsInvalid(`--${flag} is ${given}: numbers, separated by commas`);
}

import { ArgumentsInvalid, runCommand } from '#lib/command-line';
import { stopSignal } from '../../launcher/stop-signal';
import type { CommandPlace } from './command-place';
import { diffUsage, parseDiff } from './diff/options';
import { etrUsage, parseEtr } from './etr/options';
import { importUsage, parseImport } from './import/options';
import { parsePurge, purgeUsage } from './purge/options';
import { parseRecord, recordUsage } from './record/options';
import { parseReport, reportUsage } from './report/options';
import { parseRun, runUsage } from './run/options';
import { parseSweep, sweepUsage } from './sweep/options';

type Run = (place: CommandPlace) => Promise<number>;

interface Subcommand {
  readonly usage: string;
  /** Throws ArgumentsInvalid. */
  parse(argv: readonly string[]): Run;
}

/** What a command needs is loaded when it is run: Kafka for a recording, an engine's client for a run. */
const subcommands: Readonly<Record<string, Subcommand>> = {
  record: {
    usage: recordUsage,
    parse: (argv) => {
      const options = parseRecord(argv);
      return async (place) => (await import('./record/record-command.js')).recordCommand(options, place);
    },
  },
  run: {
    usage: runUsage,
    parse: (argv) => {
      const options = parseRun(argv);
      return async (place) => (await import('./run/run-command.js')).runCommandOf(options, place);
    },
  },
  diff: {
    usage: diffUsage,
    parse: (argv) => {
      const options = parseDiff(argv);
      return async (place) => (await import('./diff/diff-command.js')).diffCommand(options, place);
    },
  },
  report: {
    usage: reportUsage,
    parse: (argv) => {
      const options = parseReport(argv);
      return async (place) => (await import('./report/report-command.js')).reportCommand(options, place);
    },
  },
  sweep: {
    usage: sweepUsage,
    parse: (argv) => {
      const options = parseSweep(argv);
      return async (place) => (await import('./sweep/sweep-command.js')).sweepCommand(options, place);
    },
  },
  etr: {
    usage: etrUsage,
    parse: (argv) => {
      const options = parseEtr(argv);
      return async (place) => (await import('./etr/etr-command.js')).etrCommand(options, place);
    },
  },
  purge: {
    usage: purgeUsage,
    parse: (argv) => {
      const options = parsePurge(argv);
      return async (place) => (await import('./purge/purge-command.js')).purgeCommand(options, place);
    },
  },
  import: {
    usage: importUsage,
    parse: (argv) => {
      const options = parseImport(argv);
      return async (place) => (await import('./import/import-command.js')).importCommand(options, place);
    },
  },
};

const names = Object.keys(subcommands).join('|');
const usage = `npm run --silent replay -- ${names} …
  record   rounds, outcomes and decisions of a time range from Kafka into files
  run      rounds of a recording through a pipeline, or in this process
  diff     two runs, or a recording and a run: what is decided otherwise; a gate for CI
  report   a page with plots of a recording or a run, or of two of them
  sweep    days in closed loop under many policies: the best, and what the choice is worth on other days
  etr      how good predicted times were, against what happened
  purge    recordings that are older than a time, removed
  import   rounds from elsewhere: MDRP, Meituan, tables of your own, JSON lines
  COMMAND --help says more; docs/replay.md has the whole`;

const [name = '', ...argv] = process.argv.slice(2);
const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;

function parse(words: readonly string[]): Run {
  if (subcommand !== undefined) return subcommand.parse(words);
  throw new ArgumentsInvalid(name === '' ? 'no command given' : `no command ${name}: one of ${names}`);
}

function run(start: Run): Promise<number> {
  const tellError = (line: string) => process.stderr.write(`${line}\n`);
  return start({
    env: process.env,
    signal: stopSignal(),
    tell: (line) => process.stdout.write(`${line}\n`),
    tellError,
  });
}

void runCommand({ usage: subcommand?.usage ?? usage, parse, run }, subcommand === undefined ? [name] : argv);

import { parseArgs } from 'node:util';

/**
 * The values of a script's flags, and under `words` what is no flag. What can't be followed ends the script with
 * exit status 2: one line that names it, and the usage; `--help` ends it with 0 and the usage.
 */
export function readFlags(usage, options = {}, { mostWords = 0, args = process.argv.slice(2) } = {}) {
  const read = flagsOf(args, options, mostWords);
  if ('fault' in read) return endWith(2, console.error, `${read.fault}\n${usage}`);
  return read.values.help ? endWith(0, console.log, usage) : { ...read.values, words: read.words };
}

/** The values and words, or the one fault of a command line. */
export function flagsOf(args, options, mostWords = 0) {
  const help = { type: 'boolean', short: 'h', default: false };
  try {
    const read = parseArgs({ args, options: { help, ...options }, allowPositionals: true });
    const extra = read.positionals[mostWords];
    if (extra !== undefined) return { fault: `unknown argument ${extra}` };
    return { values: read.values, words: read.positionals };
  } catch (error) {
    if (!String(error.code).startsWith('ERR_PARSE_ARGS')) throw error;
    const [, unknown] = /^Unknown option '([^']*)'/.exec(error.message) ?? [];
    // The rest of Node's text says how a word may begin with a dash.
    return {
      fault: unknown === undefined ? error.message.split('\n')[0].split('. ')[0] : `unknown flag ${unknown}`,
    };
  }
}

function endWith(status, tell, text) {
  tell(text);
  process.exit(status);
}

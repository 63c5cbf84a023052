#!/usr/bin/env node
import { SetUpError, stopCommands } from './setup/command.mjs';
import { failureText } from './setup/failure-text.mjs';
import { isHelp } from './run-built.mjs';
import { optionalStepNames, setUp, stepNames } from './setup/index.mjs';

const usage = `npm run setup [-- STEP…]
  Sets up what is missing; without steps, everything. The steps are ${stepNames.join(', ')};
  by name only, for builds with GPUs: ${optionalStepNames.join(', ')}.
  ROUNDHOUSE_TOOLCHAIN_DIR says where the broker, Redis and TritonCore go (default .roundhouse/toolchain).`;

/** node scripts/setup.mjs [STEP…]: sets up what is missing; without steps, everything. */
async function main(args) {
  if (args.some(isHelp)) return console.log(usage);
  const known = [...stepNames, ...optionalStepNames];
  const unknown = args.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    process.exitCode = 2;
    throw new SetUpError(`no step ${unknown.join(', ')}; the steps are ${known.join(', ')}`);
  }
  const count = await setUp(args.length > 0 ? { only: args } : {});
  if (count === 0) console.error('everything is set up');
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    stopCommands();
    process.exitCode = 130;
  });
}

main(process.argv.slice(2)).catch((error) => {
  const text = failureText(error);
  console.error(text === null ? error : `\nset-up failed: ${text}`);
  process.exitCode ||= 1;
});

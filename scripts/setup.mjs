#!/usr/bin/env node
import { SetUpError, stopCommands } from './setup/command.mjs';
import { failureText } from './setup/failure-text.mjs';
import { setUp, stepNames } from './setup/index.mjs';

/** node scripts/setup.mjs [STEP…]: sets up what is missing; without steps, everything. */
async function main(args) {
  const unknown = args.filter((name) => !stepNames.includes(name));
  if (unknown.length > 0) {
    throw new SetUpError(`no step ${unknown.join(', ')}; the steps are ${stepNames.join(', ')}`);
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

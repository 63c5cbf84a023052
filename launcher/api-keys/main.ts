import { runCommand } from '#lib/command-line';
import { auditedCommand } from '../audited-command';
import { whileLocked } from '../models/labels-lock';
import { readInvocation, usage, type Invocation } from './arguments';
import { carryOut } from './change-file';

async function run(invocation: Invocation): Promise<void> {
  const { command } = invocation;
  const change = {
    action: `api-keys.${command}`,
    subject: 'id' in invocation ? invocation.id : invocation.file,
    run: () => whileLocked(invocation.file, () => carryOut(invocation)),
  };
  const text = command === 'list' ? carryOut(invocation) : await auditedCommand(process.env, change);
  process.stdout.write(`${text}\n`);
}

void runCommand({ usage, parse: readInvocation, run });

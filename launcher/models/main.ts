import { clientChannel, clientTlsSettings } from '#lib/client-tls';
import { runCommand } from '#lib/command-line';
import { auditedCommand } from '../audited-command';
import { commonSettings, loadConfig } from '#lib/config';
import { deadlineAheadSetting } from '#lib/deadline-settings';
import { readInvocation, usage, type Invocation } from './arguments';
import { commands, type CommandParts, type Report } from './commands';
import { EngineControl } from './engine-control';

const settings = {
  ...clientTlsSettings,
  modelsDir: commonSettings.modelsDir,
  maxDeadlineAheadMs: deadlineAheadSetting,
};

const changing = ['load', 'reload', 'unload', 'label', 'retire'];

function carryOut(invocation: Invocation, parts: CommandParts): Promise<Report> {
  const { command, models, label } = invocation;
  const run = () => commands[command](invocation, parts);
  if (!changing.includes(command)) return run();
  const named = models.map(({ model, version }) => (version === null ? model : `${model} ${version}`));
  return auditedCommand(process.env, {
    action: `models.${command}`,
    subject: [...(label === null ? [] : [label]), ...named].join(', '),
    run,
    faultOf: ({ good, text }) => (good ? null : text.slice(0, 500)),
  });
}

async function run(invocation: Invocation): Promise<number> {
  const { modelsDir: folder, maxDeadlineAheadMs: graceMs, ...tls } = loadConfig(process.env, settings);
  const channel = clientChannel(tls, invocation.urls);
  const engines = invocation.urls.map((url) => new EngineControl(url, channel));
  try {
    const parts = { folder, engines, env: process.env, graceMs };
    const { document, text, good } = await carryOut(invocation, parts);
    process.stdout.write(`${invocation.json ? JSON.stringify(document, null, 2) : text}\n`);
    return good ? 0 : 1;
  } finally {
    for (const engine of engines) engine.close();
  }
}

void runCommand({ usage, parse: readInvocation, run });

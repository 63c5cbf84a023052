import { runCommand } from '#lib/command-line';
import { commonSettings, integerSetting, loadConfig } from '#lib/config';
import { readInvocation, usage, type Invocation } from './arguments';
import { commands } from './commands';
import { EngineControl } from './engine-control';

const settings = {
  modelsDir: commonSettings.modelsDir,
  maxDeadlineAheadMs: integerSetting('ROUNDHOUSE_INGEST_MAX_DEADLINE_AHEAD_MS', {
    default: 3_600_000,
    min: 1_000,
    max: 86_400_000,
  }),
};

async function run(invocation: Invocation): Promise<number> {
  const { modelsDir: folder, maxDeadlineAheadMs: graceMs } = loadConfig(process.env, settings);
  const engines = invocation.urls.map((url) => new EngineControl(url));
  try {
    const parts = { folder, engines, env: process.env, graceMs };
    const { document, text, good } = await commands[invocation.command](invocation, parts);
    process.stdout.write(`${invocation.json ? JSON.stringify(document, null, 2) : text}\n`);
    return good ? 0 : 1;
  } finally {
    for (const engine of engines) engine.close();
  }
}

void runCommand({ usage, parse: readInvocation, run });

import { spawnSync } from 'node:child_process';
import { projectPath } from '#schemas/project-root';

const endings = 20;

/** Threads that call all functions of the addon again and again, which throw for want of arguments, and are ended meanwhile. */
function endThreads(addon: string): ReturnType<typeof spawnSync> {
  const path = JSON.stringify(projectPath('build', 'native', `${addon}.node`));
  const inThread = `
    const calls = Object.values(require(${path})).filter((one) => typeof one === 'function');
    require('node:worker_threads').parentPort.postMessage('calls');
    for (;;) for (const call of calls) try { call(); } catch {}`;
  const code = `
    const { Worker } = require('node:worker_threads');
    (async () => {
      for (let i = 0; i < ${endings}; i++) {
        const thread = new Worker(${JSON.stringify(inThread)}, { eval: true });
        await new Promise((resolve) => thread.once('message', resolve));
        await thread.terminate();
      }
    })();`;
  return spawnSync(process.execPath, ['-e', code], { encoding: 'utf8', timeout: 50_000 });
}

// Guards against an abort of the aggregator that is stopped while its deciding thread calls into an addon.
test.each(['packing', 'planner'])(
  'a thread that is ended while it calls into %s ends alone, not with its process',
  (addon) => {
    const { status, signal, stderr } = endThreads(addon);
    expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' });
  },
  60_000,
);

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startStack } from '../support/stack';
import { LauncherProcess } from './launcher-process';

interface Kind {
  readonly name: string;
  readonly env: NodeJS.ProcessEnv;
  /** So many starts are ended, at moments evenly spread over a whole one. */
  readonly moments: number;
}

/**
 * Half of a start are a broker and Redis of its own, the processes that it waits for longest: where others are there,
 * the moments of the services come sooner and lie closer. CI takes two of each.
 */
const isFull = process.env['TEST_FULL'] === '1';
const kinds = (): readonly Kind[] => [
  { name: 'own', env: { KAFKA_BROKERS: '', REDIS_URL: '' }, moments: isFull ? 25 : 2 },
  { name: 'shared', env: startStack('signals').env, moments: isFull ? 60 : 2 },
];
const upMs = 120_000;

let starts = 0;
const running: LauncherProcess[] = [];
afterEach(() => running.splice(0).forEach((launcher) => launcher.kill()));

/** Every process whose environment has the mark, which all that a launcher starts inherit. */
function marked(mark: string): string[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .filter((pid) => read(`/proc/${pid}/environ`).includes(`START_MARK=${mark}\0`))
    .map((pid) => `${pid} ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').slice(0, 200)}`);
}

/** The kernel may need a moment to end what the launcher's own end ends. */
async function leftOf(mark: string): Promise<string[]> {
  for (let looks = 0; looks < 500 && marked(mark).length > 0; looks++) await sleep(20);
  return marked(mark);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

async function endedWhen(
  { name, env }: Kind,
  moment: (launcher: LauncherProcess) => Promise<unknown>,
  closesOutput: boolean,
): Promise<{ code: unknown; left: string[]; output: string }> {
  const mark = `${process.pid}-${name}-${(starts += 1)}`;
  const launcher = new LauncherProcess([], { ...env, START_MARK: mark });
  running.push(launcher);
  await moment(launcher);
  if (closesOutput) launcher.closeOutput();
  launcher.signal('SIGINT');
  const { code, signal } = await launcher.ended;
  return { code: code ?? signal, left: await leftOf(mark), output: launcher.output };
}

/** How long a whole start takes here and now; it is ended, too. */
async function wholeStartMs(kind: Kind): Promise<number> {
  const from = performance.now();
  let ms = 0;
  const isUp = async (launcher: LauncherProcess) => {
    await launcher.until(/the pipeline is up/, upMs);
    ms = performance.now() - from;
  };
  const { code, left } = await endedWhen(kind, isUp, false);
  expect({ code, left }).toEqual({ code: 130, left: [] });
  return ms;
}

// An engine whose worker had ended spun for ever in the last line of its log.
test('a Ctrl-C at any moment of a start leaves no process behind', async () => {
  for (const kind of kinds()) {
    const startMs = await wholeStartMs(kind);
    for (let index = 0; index < kind.moments; index += 1) {
      const ms = Math.round((startMs * (index + 0.5)) / kind.moments);
      const { code, left, output } = await endedWhen(kind, () => sleep(ms), index % 2 === 1);
      expect({ kind: kind.name, ms, left }).toEqual({ kind: kind.name, ms, left: [] });
      // Before it has set up its handlers the signal ends it; a reader that is gone is no fault.
      expect(`${kind.name}, ${ms} ms: ${String(code)}\n${output}`).toMatch(/ms: (SIGINT|130|0)\n/);
      if (code === 130 && index % 2 === 0)
        expect(output).toMatch(/stopped.*nothing is left behind but the logs\n$/);
    }
  }
}, 1_500_000);

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { LauncherProcess } from './launcher-process';

/** Moments of a start, whose end takes about five seconds here: a Ctrl-C at each. CI takes every fortieth. */
const stepMs = 60;
const moments = Array.from({ length: 100 }, (_, index) => index * stepMs);
const swept = process.env['TEST_FULL'] === '1' ? moments : moments.filter((_, index) => index % 40 === 10);

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

async function endedAt(
  ms: number,
  closesOutput: boolean,
): Promise<{ code: unknown; left: string[]; output: string }> {
  const mark = `${process.pid}-${ms}-${closesOutput}`;
  const env = { START_MARK: mark, KAFKA_BROKERS: '', REDIS_URL: '' };
  const launcher = new LauncherProcess([], env);
  running.push(launcher);
  await sleep(ms);
  if (closesOutput) launcher.closeOutput();
  launcher.signal('SIGINT');
  const { code, signal } = await launcher.ended;
  return { code: code ?? signal, left: await leftOf(mark), output: launcher.output };
}

// An engine whose worker had ended spun for ever in the last line of its log.
test('a Ctrl-C at any moment of a start leaves no process behind', async () => {
  for (const [index, ms] of swept.entries()) {
    const { code, left, output } = await endedAt(ms, index % 2 === 1);
    expect({ ms, left }).toEqual({ ms, left: [] });
    // Before it has set up its handlers the signal ends it; a reader that is gone is no fault.
    expect(['SIGINT', 130, 0]).toContain(code);
    if (code === 130 && index % 2 === 0)
      expect(output).toMatch(/stopped.*nothing is left behind but the logs\n$/);
  }
}, 1_500_000);

import { execFile } from 'node:child_process';
import { projectPath } from '#schemas/project-root';
import {
  backendDirectory,
  coreLibrary,
  echoConfig,
  makeRepository,
  type TestRepository,
} from './engine-repository';

jest.setTimeout(60_000);

const ways = ['exit', 'end', 'throw', 'worker', 'stop'];
/** 200 in all in the full run. */
const eachWay = process.env['TEST_FULL'] === '1' ? 40 : 4;

let repository: TestRepository;
beforeAll(() => {
  repository = makeRepository({ echo: echoConfig() });
});
afterAll(() => repository.remove());

interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stderr: string;
}

function runChild(way: string): Promise<Ending> {
  const child = projectPath('test/fixtures/engine-exit-child.js');
  const parameters = [child, projectPath('dist'), coreLibrary, repository.folder, backendDirectory, way];
  return new Promise((resolve) => {
    const running = execFile(process.execPath, parameters, { timeout: 30_000 }, (_error, _stdout, stderr) =>
      resolve({ code: running.exitCode, signal: running.signalCode, stderr }),
    );
  });
}

// A native callback that fires into a process on its way out crashes it or holds it open.
test.each(ways)(
  'with a thousand requests queued a process ends with 0: %s',
  async (way) => {
    for (let i = 0; i < eachWay; i += 2) {
      for (const ending of await Promise.all([runChild(way), runChild(way)])) {
        expect(ending).toEqual({ code: 0, signal: null, stderr: '' });
      }
    }
  },
  200_000,
);

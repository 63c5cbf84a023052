import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { projectPath } from '#schemas/project-root';
import { backendDirectory, coreLibrary } from './engine-repository';

jest.setTimeout(60_000);

/** 500 in the full run, as in the list of what users suffer. */
const cycles = process.env['TEST_FULL'] === '1' ? 500 : 40;

// Memory that grows with every reload ends a process that serves for months.
test(`resident memory is level over ${cycles} loads and unloads of the shipped model`, async () => {
  const child = projectPath('test/fixtures/engine-reload-child.js');
  const places = [projectPath('dist'), coreLibrary, projectPath('models'), backendDirectory];
  const { stdout } = await promisify(execFile)(process.execPath, [
    child,
    ...places,
    'candidate_cost',
    String(cycles),
  ]);
  const [early, late] = JSON.parse(stdout) as [number, number];
  expect(late - early).toBeLessThan(15);
}, 120_000);

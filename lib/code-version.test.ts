import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { projectPath } from '#schemas/project-root';
import { codeVersion } from './code-version';

test('the version of the package, and the commit of the checkout where there is one', () => {
  const { version } = JSON.parse(readFileSync(projectPath('package.json'), 'utf8')) as { version: string };
  const isCheckout = existsSync(projectPath('.git', 'HEAD'));
  const head = () =>
    execFileSync('git', ['rev-parse', 'HEAD'], { cwd: projectPath(), encoding: 'utf8' }).trim();
  expect(codeVersion()).toEqual({ version, commit: isCheckout ? head() : null });
});

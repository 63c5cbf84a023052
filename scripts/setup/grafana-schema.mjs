import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runLogged } from './command.mjs';
import { replaceFolder } from './fresh-folder.mjs';
import { orSayWhy } from './or-say-why.mjs';
import { hashFiles, isStamped } from './stamp.mjs';

/** What reads dashboards by Grafana's schema, built by Go; only the dashboards' check uses it (or-say-why.mjs). */
export function grafanaSchema(places) {
  const project = join(places.root, 'toolchain', 'grafana');
  const folder = join(places.toolchain, 'grafana');
  const inputs = () =>
    hashFiles(
      places.root,
      ['go.mod', 'go.sum', 'main.go'].map((name) => join(project, name)),
    );
  return {
    name: "Grafana's schema",
    tools: [],
    needs: [],
    isDone: () => isStamped(folder, inputs()),
    run: () =>
      orSayWhy(places, 'grafana', () =>
        replaceFolder(folder, inputs(), (fresh) => build(project, fresh, places.logs)),
      ),
  };
}

/** In a copy of the project, where Go may write. */
async function build(project, folder, logs) {
  const copy = join(folder, '.project');
  cpSync(project, copy, { recursive: true });
  const env = { ...process.env, GOFLAGS: '-mod=readonly', GOWORK: 'off', CGO_ENABLED: '0' };
  const args = ['build', '-o', join(folder, 'dashboards'), '.'];
  await runLogged('go', args, { cwd: copy, env, log: join(logs, 'setup-grafana.log') });
  rmSync(copy, { recursive: true });
}

import { spawnSync } from 'node:child_process';

/** What says how to reach the package index; nothing else of a user's pip settings has a say here. */
const kept = new Set([
  'index-url',
  'extra-index-url',
  'no-index',
  'find-links',
  'trusted-host',
  'cert',
  'client-cert',
  'proxy',
  'keyring-provider',
  'cache-dir',
  'no-cache-dir',
  'timeout',
  'default-timeout',
  'retries',
]);

/**
 * The environment in which pip only downloads: settings such as PIP_REQUIRE_VIRTUALENV, PIP_TARGET or a
 * constraint in pip.conf would refuse the download or change it. `listed` is what `pip config list` says.
 */
export function pipEnvironment(env, listed) {
  const others = Object.entries(env).filter(([key]) => !key.toUpperCase().startsWith('PIP_'));
  return {
    ...Object.fromEntries(others),
    ...Object.fromEntries(keptSettings(listed)),
    PIP_CONFIG_FILE: '/dev/null',
    PYTHONUTF8: '1',
  };
}

/** Later sections win, as in pip: global, that of the command, the environment. */
function keptSettings(listed) {
  const rank = { global: 0, download: 1, ':env:': 2 };
  return listed
    .split('\n')
    .map((line) => /^(.*?)\.([\w-]+)=(.*)$/.exec(line.trim()))
    .filter((match) => match !== null && match[1] in rank && kept.has(match[2]))
    .sort((a, b) => rank[a[1]] - rank[b[1]])
    .map(([, , key, value]) => [`PIP_${key.toUpperCase().replaceAll('-', '_')}`, fromPython(value)]);
}

/** A text as Python's repr writes it; the lines of a list become words. */
function fromPython(text) {
  const escapes = { n: ' ', t: ' ', r: ' ' };
  return text
    .slice(1, -1)
    .replace(/\\(.)/g, (_, character) => escapes[character] ?? character)
    .trim();
}

/** The same of this machine. Where pip can't list its settings it gets none of them. */
export function pipEnvironmentHere(env = process.env) {
  const { stdout, status } = spawnSync('python3', ['-m', 'pip', 'config', 'list'], {
    encoding: 'utf8',
    env: { ...env, PIP_REQUIRE_VIRTUALENV: '0', PIP_LOG: '', PYTHONUTF8: '1' },
  });
  return pipEnvironment(env, status === 0 ? stdout : '');
}

import { spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { SetUpError } from './command.mjs';

/** pip refuses everything but this outside of a virtual environment where it is told to. */
const pipEnv = { env: { ...process.env, PIP_REQUIRE_VIRTUALENV: '0' } };

/** What a step needs from the machine; `packages` are Debian's and Ubuntu's names. */
export const tools = {
  java: {
    name: 'Java 17 or newer (java)',
    packages: (os) => [
      os.id === 'debian' && os.version < 13 ? 'openjdk-17-jre-headless' : 'openjdk-21-jre-headless',
    ],
    isThere: () => majorOf(javaCommand(), ['-version'], /version "(\d+)/) >= 17,
  },
  maven: { name: 'Maven (mvn)', packages: () => ['maven'], isThere: () => inPath('mvn') },
  python: {
    name: 'Python 3 with pip (python3 -m pip)',
    packages: () => ['python3', 'python3-pip'],
    isThere: () => inPath('python3') && spawnSync('python3', ['-m', 'pip', '--version'], pipEnv).status === 0,
  },
  cmake: { name: 'CMake (cmake)', packages: () => ['cmake'], isThere: () => inPath('cmake') },
  compiler: {
    name: 'a C++20 compiler with make (c++, make)',
    packages: () => ['g++', 'make'],
    isThere: () => inPath(process.env.CXX || 'c++') && (inPath('make') || inPath('ninja')),
  },
  cargo: {
    name: 'Cargo (cargo)',
    packages: () => ['cargo'],
    // That of rustup may be there and have no toolchain behind it.
    isThere: () => inPath('cargo') && spawnSync('cargo', ['--version']).status === 0,
  },
  go: {
    name: 'Go (go)',
    packages: () => ['golang-go'],
    isThere: () => inPath('go') && spawnSync('go', ['version']).status === 0,
  },
};

/** As the launcher starts the broker. */
function javaCommand({ JAVA_HOME: home } = process.env) {
  return home ? join(home, 'bin', 'java') : 'java';
}

function inPath(name) {
  if (name.includes('/')) return isExecutable(name);
  return (process.env.PATH ?? '').split(delimiter).some((folder) => isExecutable(join(folder, name)));
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function majorOf(command, args, pattern) {
  if (!inPath(command)) return 0;
  const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  return Number(pattern.exec(`${stderr}${stdout}`)?.[1] ?? 0);
}

function readOs() {
  const text = readOrEmpty('/etc/os-release');
  const value = (key) => new RegExp(`^${key}="?([^"\n]*)`, 'm').exec(text)?.[1] ?? '';
  return { id: value('ID'), version: Number.parseFloat(value('VERSION_ID')) || 99 };
}

function readOrEmpty(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** One message with all that is missing and how to get it; null when nothing is. */
export function missingMessage(names, available = tools, os = readOs()) {
  const missing = [...new Set(names)].map((name) => available[name]).filter((tool) => !tool.isThere());
  if (missing.length === 0) return null;
  const packages = missing.flatMap((tool) => tool.packages(os));
  return [
    'Set-up needs these, which are not on this machine (or not in PATH):',
    ...missing.map((tool) => `  - ${tool.name}`),
    'On Debian or Ubuntu:',
    `  sudo apt-get install ${packages.join(' ')}`,
    'Then run the same command again; what is already set up is kept.',
  ].join('\n');
}

/** ESLint's and our own floor; Debian 12 and Ubuntu 24.04 package Node 18. */
export function nodeMessage(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return null;
  return `Roundhouse needs Node.js 20.19 or newer (nodejs.org, or nvm); this is ${version}.`;
}

/** The binaries that set-up fetches are for Linux on x86-64 with glibc 2.35 or newer. */
export function platformMessage(platform, arch, glibc) {
  if (platform !== 'linux' || arch !== 'x64') {
    return `Roundhouse runs on Linux on x86-64; this is ${platform} on ${arch}.`;
  }
  const [major = 0, minor = 0] = (glibc ?? '0.0').split('.').map(Number);
  if (major > 2 || (major === 2 && minor >= 35)) return null;
  return `Roundhouse needs glibc 2.35 or newer (Debian 12, Ubuntu 22.04); this machine has ${glibc ?? 'another libc'}.`;
}

export function requirePlatform() {
  process.report.excludeNetwork = true;
  const glibc = process.platform === 'linux' ? process.report.getReport().header.glibcVersionRuntime : null;
  const message =
    nodeMessage(process.versions.node) ?? platformMessage(process.platform, process.arch, glibc);
  if (message !== null) throw new SetUpError(message);
}

export function requireTools(names) {
  const message = missingMessage(names);
  if (message !== null) throw new SetUpError(message);
}

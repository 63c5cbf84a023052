import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectPath } from '#schemas/project-root';

jest.setTimeout(60_000);

/** The crate carries the official C headers of the core (1.34 and 1.19). */
const crate = { name: 'tritonserver-rs', version: '0.4.1' };

/** The folder of the official headers; fetched with cargo where it isn't there yet. */
function officialHeaders(): string {
  const home = process.env['CARGO_HOME'] ?? join(homedir(), '.cargo');
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-headers-'));
  try {
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src', 'lib.rs'), '');
    const manifest = `[package]\nname = "headers"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n`;
    writeFileSync(join(folder, 'Cargo.toml'), `${manifest}${crate.name} = "=${crate.version}"\n`);
    const target = ['--target', 'x86_64-unknown-linux-gnu'];
    const fetched = spawnSync('cargo', ['fetch', '--quiet', ...target], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 180_000,
    });
    if (fetched.status !== 0) throw new Error(fetched.error?.message ?? fetched.stderr.slice(-200));
    const sources = join(home, 'registry', 'src');
    for (const registry of readdirSync(sources)) {
      const path = join(sources, registry, `${crate.name}-${crate.version}`, 'core/include/triton/core');
      if (readdirSync(path).length > 0) return path;
    }
    throw new Error('the crate holds no headers');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function withoutComments(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\/\/.*$/gm, '')
    .replace(/^\s*#.*$/gm, '');
}

/** One spelling of a C declaration: the C++ of ours and the C of theirs come out alike. */
function normal(declaration: string): string {
  return declaration
    .replace(/\bstruct\s+|std::|TRITON_CORE|TRITON_ENTRY|TRITON(SERVER|BACKEND)_(DECLSPEC|ISPEC)/g, '')
    .replace(/\s+/g, ' ')
    .replace(/\s*([*(),])\s*/g, '$1')
    .trim();
}

interface Declarations {
  readonly functions: Map<string, string>;
  readonly values: Map<string, number>;
}

function enumValues(body: string, into: Map<string, number>): void {
  let next = 0;
  for (const part of body.split(',').map((text) => text.trim())) {
    if (part === '') continue;
    const [name, value] = part.split('=').map((text) => text.trim());
    next = value === undefined ? next : Number(value);
    into.set(name!, next);
    next += 1;
  }
}

function declarationsOf(source: string): Declarations {
  const functions = new Map<string, string>();
  const values = new Map<string, number>();
  const text = withoutComments(source);
  for (const [, body] of text.matchAll(/\benum\s+\w*\s*\{([^}]*)\}/g)) enumValues(body!, values);
  for (const [, name, value] of text.matchAll(/constexpr std::uint32_t (TRITON\w+) = (\d+);/g)) {
    values.set(name!, Number(value));
  }
  const declaration =
    /(?:TRITON_CORE|TRITON_ENTRY|TRITON(?:SERVER|BACKEND)_(?:DECLSPEC|ISPEC)|typedef)\s[^;{]*?;/g;
  for (const [found] of text.matchAll(declaration)) {
    const spelled = normal(found);
    const name = /\(\*(\w+)\)\(/.exec(spelled)?.[1] ?? /(TRITON(?:SERVER|BACKEND)_\w+)\(/.exec(spelled)?.[1];
    if (name !== undefined) functions.set(name, spelled);
  }
  return { functions, values };
}

let theirs: Declarations | undefined;
let missing = '';
try {
  const folder = officialHeaders();
  const texts = ['tritonserver.h', 'tritonbackend.h'].map((name) => readFileSync(join(folder, name), 'utf8'));
  theirs = declarationsOf(texts.join('\n'));
} catch (error) {
  missing = (error as Error).message;
}

if (theirs === undefined) {
  test.skip(`the official headers cannot be fetched with cargo: ${missing}`, () => undefined);
} else {
  const official = theirs;
  const include = projectPath('native/triton/include');
  const texts = ['triton_server_api.hpp', 'triton_backend_api.hpp'];
  const ours = declarationsOf(texts.map((name) => readFileSync(join(include, name), 'utf8')).join('\n'));

  test('our declarations of the C API are the official ones', () => {
    expect(ours.functions.size).toBeGreaterThan(130);
    for (const [name, spelled] of ours.functions) {
      expect({ name, spelled }).toEqual({ name, spelled: official.functions.get(name) });
    }
  });

  test('so are the values of its enumerations', () => {
    expect(ours.values.size).toBeGreaterThan(40);
    for (const [name, value] of ours.values) {
      expect({ name, value }).toEqual({ name, value: official.values.get(name) });
    }
  });
}

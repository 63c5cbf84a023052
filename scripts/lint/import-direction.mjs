import { dirname, join, relative, resolve, sep } from 'node:path';

/** Which folders a folder may import; tests, and scripts, may import everything. */
const mayImport = {
  schemas: ['schemas'],
  policy: ['policy', 'schemas'],
  lib: ['lib', 'policy', 'schemas'],
  native: ['native', 'lib', 'policy', 'schemas'],
  client: ['client', 'lib', 'schemas'],
  launcher: ['launcher', 'client', 'lib', 'policy', 'schemas', 'native/planner'],
  bench: ['bench', 'launcher', 'client', 'lib', 'policy', 'schemas', 'native'],
  examples: ['examples', 'client', 'schemas'],
  services: ['lib', 'policy', 'schemas'],
};

/** What starts services reads their settings by their own rules before it starts anything. */
const serviceSettings = /^services\/[^/]+(\/engine)?\/config$/;

const engine = join('services', 'inference-worker', 'engine');
/** Computing that both the policy and this addon do, with equal results. */
const packing = join('native', 'packing');
/** A tool of users, not a service: it starts pipelines of its own. */
const replay = join('services', 'replay');
const replayMayImport = ['launcher', 'native/planner'];
const dataPlane = join('services', 'inference-worker', 'data-plane');
const ucxDataPlane = join('services', 'inference-worker', 'remote', 'ucx');
/** They measure what is inside a worker, without one. */
const workerBenches = ['metrics', 'remote', 'routers', 'stagger'].map((name) => join('bench', name));

/** What a module specifier names, relative to the root ("lib/bus/port"); null for packages. */
export function targetOf(specifier, file, root) {
  const mapped = /^#(schemas|lib|policy|services|native|launcher)\/(.*)$/.exec(specifier);
  if (mapped !== null) return join(mapped[1], mapped[2]);
  if (!specifier.startsWith('.')) return null;
  return relative(root, resolve(dirname(file), specifier));
}

/** Why `source` (relative to the root) may not import `target`; null when it may. */
export function importFault(source, target) {
  const folder = source.split(sep)[0];
  const allowed = mayImport[folder];
  if (allowed === undefined) return null;
  if (within(target, join('native', 'triton')) && folder === 'services') {
    return within(source, engine) ? null : `only the engine (${engine}) may import the Triton addon`;
  }
  if (within(target, join('native', 'confine')) && within(source, engine)) return null;
  if (within(target, join('native', 'shm')) && within(source, dataPlane)) return null;
  if (within(target, join('native', 'ucx')) && within(source, ucxDataPlane)) return null;
  if (
    within(target, join('services', 'inference-worker')) &&
    workerBenches.some((bench) => within(source, bench))
  )
    return null;
  if (folder === 'launcher' && serviceSettings.test(target)) return null;
  if (within(target, packing) && within(source, join('services', 'aggregator'))) return null;
  const own = folder === 'services' ? source.split(sep).slice(0, 2).join(sep) : folder;
  if (own === replay && replayMayImport.some((place) => within(target, place))) return null;
  if ([own, ...allowed].some((place) => within(target, place))) return null;
  return `${own} may import ${[...new Set([own, ...allowed])].join(', ')}, not ${target}`;
}

function within(path, folder) {
  return path === folder || path.startsWith(folder + sep);
}

/** ESLint rule: imports go one way (docs/architecture.md). */
export const importDirection = {
  meta: { type: 'problem', schema: [], messages: { direction: '{{fault}}' } },
  create(context) {
    const root = context.cwd;
    const check = (node) => {
      const target = node.source ? targetOf(String(node.source.value), context.filename, root) : null;
      const fault = target && importFault(relative(root, context.filename), target);
      if (fault) context.report({ node: node.source, messageId: 'direction', data: { fault } });
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    };
  },
};

import { readLabels, type ModelLabels } from '#lib/model-labels';
import { RoundhouseError } from '#schemas/errors';
import type { Invocation } from './arguments';
import type { EngineControl } from './engine-control';
import { changedLabels, differences, labelFaults, writeLabels } from './label-change';
import { whileLocked } from './labels-lock';
import { listingText } from './listing-text';
import { labelsFile, pinnedNetwork, stateOf, versionsOnDisk, type VersionRow } from './repository-state';
import { moveToRetired, whyKept } from './retire';
import { tryInScratchEngine } from './scratch-engine';
import { verifyFaults } from './verify';

export interface CommandParts {
  readonly folder: string;
  readonly engines: readonly EngineControl[];
  readonly env: NodeJS.ProcessEnv;
  /** The longest that a round may be under way. */
  readonly graceMs: number;
}

/** What a command found or did: a document for machines, text for people, and whether all is well. */
export interface Report {
  readonly document: object;
  readonly text: string;
  readonly good: boolean;
}

type Run = (invocation: Invocation, parts: CommandParts) => Promise<Report>;

function labelsIn({ folder }: CommandParts): ModelLabels {
  return readLabels(labelsFile(folder));
}

function rowsOfModels(rows: readonly VersionRow[], { models }: Invocation): VersionRow[] {
  return rows.filter((row) => models.some(({ model }) => model === row.model));
}

const list: Run = async (_, parts) => {
  const rows = await stateOf(parts.folder, parts.engines);
  const { canaryShare } = labelsIn(parts);
  const good = rows.every(({ state, reason }) => state === 'READY' || reason === '');
  return { document: { versions: rows, canaryShare }, text: listingText(rows, canaryShare), good };
};

/** Every engine is asked, also after one has refused; each refusal is said. */
async function atEveryEngine(
  { engines }: CommandParts,
  { models }: Invocation,
  act: (engine: EngineControl, model: string) => Promise<void>,
): Promise<string[]> {
  const faults: string[] = [];
  for (const engine of engines) {
    for (const { model } of models) {
      await act(engine, model).catch((error: unknown) => {
        if (!(error instanceof RoundhouseError)) throw error;
        faults.push(`${error.code}: ${error.message}`);
      });
    }
  }
  return faults;
}

async function afterwards(
  faults: readonly string[],
  invocation: Invocation,
  parts: CommandParts,
): Promise<Report> {
  const rows = rowsOfModels(await stateOf(parts.folder, parts.engines), invocation);
  const { canaryShare } = labelsIn(parts);
  const broken = rows.filter(({ state, reason }) => state !== 'READY' && reason !== '');
  const text = [...(rows.length > 0 ? [listingText(rows, canaryShare)] : []), ...faults].join('\n');
  return { document: { versions: rows, faults }, text, good: faults.length === 0 && broken.length === 0 };
}

const load: Run = async (invocation, parts) => {
  const again = invocation.command === 'reload';
  const faults = await atEveryEngine(parts, invocation, (engine, model) => engine.load(model, again));
  return afterwards(faults, invocation, parts);
};

const unload: Run = async (invocation, parts) => {
  const faults = await atEveryEngine(parts, invocation, (engine, model) => engine.unload(model));
  return { ...(await afterwards(faults, invocation, parts)), good: faults.length === 0 };
};

/** One step: between the reading and the writing no other command may change the labels. */
function changeLabels(
  invocation: Invocation,
  parts: CommandParts,
  rows: readonly VersionRow[] | null,
): Report {
  const before = labelsIn(parts);
  const versions = new Map(invocation.models.map(({ model, version }) => [model, version!]));
  const name = invocation.label!;
  const after = changedLabels(before, { label: name, versions, share: invocation.share });
  const onDisk = versionsOnDisk(parts.folder);
  const faults = labelFaults(name, after.models.get(name)!, rows, {
    exists: (model, version) => onDisk.get(model)?.includes(version) ?? false,
    networkOf: (model, version) => pinnedNetwork(parts.folder, model, version),
  });
  const changes = differences(before, after);
  if (faults.length > 0) {
    const text = ['nothing was changed:', ...faults.map((fault) => `  ${fault}`)].join('\n');
    return { document: { changed: false, changes: [], faults }, text, good: false };
  }
  if (changes.length > 0) writeLabels(labelsFile(parts.folder), after);
  const text = changes.length > 0 ? changes.join('\n') : 'nothing to change';
  return { document: { changed: changes.length > 0, changes, faults }, text, good: true };
}

const label: Run = async (invocation, parts) => {
  const rows = invocation.offline ? null : await stateOf(parts.folder, parts.engines);
  return whileLocked(labelsFile(parts.folder), () => changeLabels(invocation, parts, rows));
};

/** Where it lies now, or why it stays. No label may come to name it meanwhile. */
function retireVersion(
  { folder, graceMs }: CommandParts,
  { model, version }: { readonly model: string; readonly version: string },
  now: boolean,
): { readonly target: string } | { readonly why: string } {
  const why = whyKept(folder, model, version, now ? 0 : graceMs, Date.now());
  return why === null ? { target: moveToRetired(folder, model, version) } : { why };
}

const retire: Run = async (invocation, parts) => {
  const [named] = invocation.models as [{ model: string; version: string }];
  if (invocation.models.length > 1) throw new RoundhouseError('CONFIG_INVALID', 'one version at a time');
  const end = await whileLocked(labelsFile(parts.folder), () => retireVersion(parts, named, invocation.now));
  if ('why' in end) {
    return { document: { retired: null, faults: [end.why] }, text: `refused: ${end.why}`, good: false };
  }
  const faults = await atEveryEngine(parts, invocation, (engine, name) => engine.load(name));
  const report = await afterwards(faults, invocation, parts);
  const { target } = end;
  return { ...report, document: { ...report.document, retired: target }, text: `${target}\n${report.text}` };
};

const verify: Run = async (invocation, parts) => {
  const onDisk = versionsOnDisk(parts.folder);
  const wanted =
    invocation.models.length > 0
      ? invocation.models
      : [...onDisk.keys()].map((model) => ({ model, version: null }));
  const unknown = wanted.filter(({ model, version }) => {
    return !onDisk.has(model) || (version !== null && !onDisk.get(model)!.includes(version));
  });
  const missing = unknown.map(
    ({ model, version }) => `${model}${version === null ? '' : ` ${version}`} is not in the repository`,
  );
  const models = [...new Set(wanted.map(({ model }) => model))].filter((model) => onDisk.has(model));
  const tried = models.length === 0 ? [] : await tryInScratchEngine(parts.folder, models, parts.env);
  const rows = invocation.offline ? null : await stateOf(parts.folder, parts.engines);
  const found = verifyFaults(wanted, tried, rows, labelsIn(parts), {
    versionsOf: (model) => onDisk.get(model) ?? [],
    networkOf: (model, version) => pinnedNetwork(parts.folder, model, version),
  });
  const faults = [...missing, ...found.faults];
  const text = [...found.good, ...faults.map((fault) => `FAULT  ${fault}`)].join('\n');
  return { document: { good: found.good, faults }, text, good: faults.length === 0 };
};

export const commands: Readonly<Record<Invocation['command'], Run>> = {
  list,
  load,
  reload: load,
  unload,
  label,
  retire,
  verify,
};

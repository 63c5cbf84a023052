#!/usr/bin/env node
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, isScalar, parseDocument, visit } from 'yaml';
import { projectRoot } from '../setup/places.mjs';

const seconds = { ms: 0.001, s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800, y: 31_536_000 };

/** "1h30m" times 0.1 is "540s"; never less than a second. */
export function scaleDuration(text, factor) {
  const parts = [...text.matchAll(/(\d+)(ms|[smhdwy])/g)];
  const sum = parts.reduce((total, [, count, unit]) => total + Number(count) * seconds[unit], 0);
  return sum === 0 ? text : `${Math.max(1, Math.round(sum * factor))}s`;
}

/** The ranges, offsets and steps of PromQL; what stands in quotes is left alone. */
export function scaleExpression(expression, factor) {
  return expression.replace(/"[^"]*"|\[([^\]]*)\]/g, (found, range) => {
    if (range === undefined) return found;
    return `[${range.replace(/[\dmshdwy]+/g, (text) => scaleDuration(text, factor))}]`;
  });
}

/**
 * A rule file whose times are all multiplied, for drills and tests that can't wait for minutes. Groups whose names end
 * with `-slow` look back for hours to tell a trend; scaled down they would see none, so they are left out.
 */
export function scaleRules(text, factor) {
  const document = parseDocument(text);
  const groups = document.get('groups');
  groups.items = groups.items.filter((group) => !group.get('name').endsWith('-slow'));
  visit(groups, {
    Pair(_, { key, value }) {
      if (!isScalar(key) || isMap(value)) return;
      if (['for', 'interval', 'keep_firing_for'].includes(key.value))
        value.value = scaleDuration(value.value, factor);
      if (key.value === 'expr') value.value = scaleExpression(value.value, factor);
    },
  });
  return document.toString({ lineWidth: 0 });
}

/** Writes every rule file of ops/prometheus/rules to `folder`; resolves to their paths. */
export function writeScaledRules(factor, folder, from = join(projectRoot, 'ops', 'prometheus', 'rules')) {
  mkdirSync(folder, { recursive: true });
  return readdirSync(from).map((name) => {
    const path = join(folder, name);
    writeFileSync(path, scaleRules(readFileSync(join(from, name), 'utf8'), factor));
    return path;
  });
}

if (process.argv[1]?.endsWith('scale-rules.mjs')) {
  const [factor, folder] = process.argv.slice(2);
  if (!(Number(factor) > 0) || folder === undefined) {
    console.error('node scripts/ops/scale-rules.mjs FACTOR FOLDER: rule files with all times multiplied');
    process.exitCode = 2;
  } else console.log(writeScaledRules(Number(factor), folder).join('\n'));
}

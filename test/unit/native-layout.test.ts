import { readFileSync } from 'node:fs';
import { projectPath } from '#schemas/project-root';
import * as tensors from '#schemas/tensors';

const header = readFileSync(projectPath('cuda/candidate_cost/layout.hpp'), 'utf8');

/** `namespace Name { enum : int { a = 0, … }; }` by name. */
function enums(): Map<string, Record<string, number>> {
  const found = header.matchAll(/namespace (\w+) \{\s*enum : int \{([^}]*)\}/g);
  return new Map(
    Array.from(found, ([, name, body]) => {
      const entries = Array.from(body!.matchAll(/(\w+) = (\d+)/g), ([, key, value]) => [key!, Number(value)]);
      return [name!, Object.fromEntries(entries) as Record<string, number>];
    }),
  );
}

function constants(): Map<string, number> {
  const found = header.matchAll(/constexpr \w+ ([A-Z_]+) = (\w+);/g);
  return new Map(Array.from(found, ([, name, value]) => [name!, Number(value)]));
}

test('every table of columns in tensors.ts stands in layout.hpp with the same numbers', () => {
  const isTable = (value: unknown) =>
    typeof value === 'object' && value !== null && Object.values(value).every(Number.isInteger);
  const expected = Object.entries(tensors).filter(([, value]) => isTable(value));
  expect(Object.fromEntries(enums())).toEqual(Object.fromEntries(expected));
});

test('every number in tensors.ts stands in layout.hpp', () => {
  const expected = Object.entries(tensors).filter(([, value]) => typeof value === 'number');
  expect(Object.fromEntries(constants())).toEqual(Object.fromEntries(expected));
});

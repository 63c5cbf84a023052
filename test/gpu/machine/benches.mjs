import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asTyped, programPath, programsIn, runShown } from './programs.mjs';
import { writeResult } from './results.mjs';

/** The names of issue and documents for programs whose names are those of the parts. */
const programsByName = {
  solver: 'route_planner_gpu_bench',
  etr: 'delivery_time_gpu_bench',
  'candidate-cost': 'candidate_cost_gpu_bench',
  mixed: 'mixed_gpu_soak',
};

export function benchNames(build) {
  const programs = [
    ...programsIn(`${build}/bench`, '_gpu_bench'),
    ...programsIn(`${build}/bench`, '_gpu_soak'),
  ];
  const others = programs.filter((program) => !Object.values(programsByName).includes(program));
  return [...Object.keys(programsByName), ...nodeBenches, ...others];
}

/** Those of `npm run bench` that need no other program. */
const nodeBenches = ['pipeline', 'recovery', 'dataplane', 'stagger', 'remote'];

/** True when every one of them ended well; one JSON file each, also of one that failed. */
export async function runBenches(machine, { names, flags, limitMs }) {
  const known = benchNames(machine.build);
  const unknown = names.filter((name) => !known.includes(name));
  if (names.length === 0 || unknown.length > 0) {
    throw new Error(
      `${names.length === 0 ? 'which bench' : `no bench ${unknown.join(', ')}`}? ${known.join(', ')}`,
    );
  }
  let allOk = true;
  for (const name of names) allOk = (await runBench(machine, name, flags, limitMs)) && allOk;
  return allOk;
}

async function runBench(machine, name, flags, limitMs) {
  console.log(`\n== bench ${name}`);
  const { command, args, figuresOf } = nodeBenches.includes(name)
    ? nodeBench(machine, name, flags)
    : program(machine, name, flags);
  const result = await runShown(command, args, { cwd: machine.root, env: machine.env, limitMs });
  const figures = figuresOf(result);
  const failed = failureOf(result, figures);
  const failure = failed === null ? {} : { failed, outputTail: result.output.slice(-4_000) };
  const typed = asTyped(machine.root, command, args);
  writeResult(machine, name, typed, { seconds: result.seconds, ...failure, ...figures });
  const outcome = failed === null ? `ok bench ${name}: ${result.reason}` : `FAILED bench ${name}: ${failed}`;
  console.log(`${outcome}, ${result.seconds.toFixed(1)} s`);
  return failed === null;
}

/** Null for a bench that ended well and has figures: one without them has measured nothing. */
export function failureOf({ ok, reason }, figures) {
  if (!ok) return reason;
  return Object.keys(figures).length > 0 ? null : `${reason}, without figures`;
}

/** A C++ program that writes its figures to the file of --out. */
function program(machine, name, flags) {
  const command = programPath(machine, 'bench', programsByName[name] ?? name);
  const file = join(tmpdir(), `roundhouse-${name}-${process.pid}.json`);
  const shared = name === 'solver' && machine.shared !== undefined ? ['--shared', machine.shared] : [];
  return {
    command,
    args: [...shared, ...flags, '--out', file],
    figuresOf: () => {
      const figures = existsSync(file) ? asFigures(readFileSync(file, 'utf8')) : {};
      rmSync(file, { force: true });
      return figures;
    },
  };
}

/** With a broker and a Redis of its own where it needs them; its figures are the last line that it prints. */
function nodeBench(machine, name, flags) {
  const main = join(machine.root, 'dist', 'bench', name, 'main.js');
  return {
    command: process.execPath,
    args: ['--enable-source-maps', main, ...flags],
    figuresOf: ({ standardOutput }) => asFigures(standardOutput.trimEnd().split('\n').at(-1) ?? ''),
  };
}

function asFigures(text) {
  try {
    const figures = JSON.parse(text);
    if (Array.isArray(figures)) return figures.length > 0 ? { figures } : {};
    return typeof figures === 'object' && figures !== null ? figures : {};
  } catch {
    return {};
  }
}

import { asStep } from './command.mjs';

/**
 * Runs the steps that are not done, each as soon as the ones it needs are, and reports them as
 * "[2/6] broker jars … 15 s"; `begin` and `end` are told its name. The first failure is thrown after the steps in flight have ended.
 */
export async function runSteps(steps, report, { now = Date.now, begin = () => {}, end = () => {} } = {}) {
  const done = new Map();
  const failures = [];
  let started = 0;
  const runOne = async (step) => {
    await Promise.all(step.needs.map((name) => done.get(name)));
    if (failures.length > 0) return;
    const label = `[${(started += 1)}/${steps.length}] ${step.name} …`;
    report(label);
    const from = now();
    begin(step.name);
    try {
      await asStep(step.name, () => step.run());
      report(`${label} ${Math.max(1, Math.round((now() - from) / 1000))} s`);
    } catch (error) {
      failures.push(error);
    } finally {
      end(step.name);
    }
  };
  for (const step of steps) done.set(step.name, runOne(step));
  await Promise.all(done.values());
  if (failures.length > 0) throw failures[0];
}

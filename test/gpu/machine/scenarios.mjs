/** Tests that need the whole product; filled below by name. */
const scenarios = {};

export const scenarioNames = Object.keys(scenarios);

export async function runScenario(machine, name, _flags, limitMs) {
  return scenarios[name](machine, limitMs);
}

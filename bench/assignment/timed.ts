/** Wall time and processor time of all threads of the process. */
export function timed<T>(work: () => T): { result: T; ms: number; cpuMs: number } {
  const start = performance.now();
  const cpu = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(cpu);
  return { result, ms: performance.now() - start, cpuMs: (user + system) / 1_000 };
}

/** node scripts/container-health.mjs PORT: exit status 0 when /readyz answers 200. */
const response = await fetch(`http://127.0.0.1:${process.argv[2]}/readyz`).catch(() => null);
process.exitCode = response?.ok ? 0 : 1;

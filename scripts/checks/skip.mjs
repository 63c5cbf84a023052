/** The exit status of a check that could not be made on this machine; the reason is its output. */
export const skipped = 77;

export function skip(reason) {
  console.log(reason);
  process.exitCode = skipped;
}

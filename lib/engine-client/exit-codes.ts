/** An engine whose device is broken ends with it; no other process of ours does. */
export const deviceFaultExitCode = 86;

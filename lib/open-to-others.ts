/** Whether what listens there can be reached from other machines. */
export function isBeyondLoopback(bindHost: string): boolean {
  return !/^(127(\.\d{1,3}){3}|::1|\[::1\]|localhost)$/.test(bindHost);
}

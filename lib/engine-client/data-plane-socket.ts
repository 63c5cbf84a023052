/** The socket for sessions of shared memory lies beside the engine's own. */
export function dataPlaneSocket(engineSocket: string): string {
  return `${engineSocket}.shm`;
}

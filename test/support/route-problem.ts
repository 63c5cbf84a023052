/**
 * A line of the plain format: an order on board and one to be picked up. 0→2 is 1, 2→1 is 1, 1→3 is 9, so the
 * best sequence 2 1 3 takes 11.
 */
export function problemLine(id: number, change: object = {}): string {
  return JSON.stringify({
    id,
    n: 2,
    m: 3,
    Q: 2,
    t0: 0,
    w: [0, 1, 0],
    orders: [
      { ready: 0, promised: 0, pick: -1, drop: 1, new: 0 },
      { ready: 0, promised: 0, pick: 2, drop: 3, new: 1 },
    ],
    svc: [0, 0, 0, 0],
    T: [
      [0, 9, 1, 9],
      [0, 0, 9, 9],
      [0, 1, 0, 9],
      [0, 9, 9, 0],
    ],
    ...change,
  });
}

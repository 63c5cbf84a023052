import { ColumnHeap } from './column-heap';
import type { SparseGraph } from './sparse-graph';

/** Rows displaced in the bidding phase before the exact phase takes over, per row of the graph. */
const BIDS_PER_ROW = 12;

/**
 * Matching of maximum weight in a sparse bipartite graph, rows and columns may stay free (Jonker and
 * Volgenant 1987 on adjacency lists: augmenting row reduction, then shortest augmenting paths with
 * prices). Whole weights below 2^52 keep every step exact. Invariants: a free column has price 0; a matched row sits on
 * an edge of its largest weight − price, which is at least 0.
 */
export class SparseMatching {
  private readonly price: Float64Array;
  private readonly rowOfColumn: Int32Array;
  /** Edge slot of a matched row, −1 where it is free. */
  private readonly edgeOfRow: Int32Array;
  private readonly distance: Float64Array;
  private readonly reachedBy: Int32Array;
  private readonly reachedFrom: Int32Array;
  private readonly seenIn: Int32Array;
  private readonly doneIn: Int32Array;
  private readonly scanned: Int32Array;
  private readonly heap: ColumnHeap;

  constructor(private readonly graph: SparseGraph) {
    const { rowCount, columnCount } = graph;
    this.price = new Float64Array(columnCount);
    this.rowOfColumn = new Int32Array(columnCount).fill(-1);
    this.edgeOfRow = new Int32Array(rowCount).fill(-1);
    this.distance = new Float64Array(columnCount);
    this.reachedBy = new Int32Array(columnCount);
    this.reachedFrom = new Int32Array(columnCount);
    this.seenIn = new Int32Array(columnCount).fill(-1);
    this.doneIn = new Int32Array(columnCount).fill(-1);
    this.scanned = new Int32Array(columnCount);
    this.heap = new ColumnHeap(columnCount, this.distance);
  }

  /** Labels of the matched edges. */
  solve(): number[] {
    const waiting = this.bid();
    waiting.forEach((row, search) => this.augment(row, search));
    const labels: number[] = [];
    for (const edge of this.edgeOfRow) if (edge >= 0) labels.push(this.graph.label[edge]!);
    return labels;
  }

  /** Rows take their best column and raise its price to their second best; gives the rows left waiting. */
  private bid(): number[] {
    let queue = Array.from({ length: this.graph.rowCount }, (_, row) => row);
    let bids = BIDS_PER_ROW * this.graph.rowCount;
    while (queue.length > 0 && bids > 0) {
      const displaced: number[] = [];
      for (const first of queue) {
        let row = first;
        while (row >= 0 && bids-- > 0) row = this.bidFor(row, displaced);
        if (row >= 0) displaced.push(row);
      }
      if (displaced.length >= queue.length) return displaced;
      queue = displaced;
    }
    return queue;
  }

  /** The row to go on with (displaced by a raised price), or −1. */
  private bidFor(row: number, displaced: number[]): number {
    const { start, column, weight } = this.graph;
    let bestEdge = -1;
    let best = 0;
    let second = 0;
    for (let edge = start[row]!; edge < start[row + 1]!; edge++) {
      const gain = weight[edge]! - this.price[column[edge]!]!;
      if (gain > best) {
        second = best;
        best = gain;
        bestEdge = edge;
      } else if (gain > second) second = gain;
    }
    if (bestEdge < 0) return -1;
    const target = column[bestEdge]!;
    const owner = this.rowOfColumn[target]!;
    if (owner >= 0 && best === second) {
      displaced.push(row);
      return -1;
    }
    this.price[target]! += best - second;
    this.rowOfColumn[target] = row;
    this.edgeOfRow[row] = bestEdge;
    if (owner >= 0) this.edgeOfRow[owner] = -1;
    return owner;
  }

  /** One shortest path from a free row to a free column, or to a row that is better left free. */
  private augment(root: number, search: number): void {
    this.heap.clear();
    let row = root;
    let base = 0;
    let end = 0;
    let endColumn = -1;
    let scannedCount = 0;
    for (;;) {
      this.reach(row, base, search, end);
      const top = this.heap.top();
      if (top < 0 || this.distance[top]! >= end) break;
      this.heap.pop();
      this.doneIn[top] = search;
      const at = this.distance[top]!;
      row = this.rowOfColumn[top]!;
      if (row < 0) {
        end = at;
        endColumn = top;
        break;
      }
      this.scanned[scannedCount++] = top;
      const edge = this.edgeOfRow[row]!;
      base = at + this.graph.weight[edge]! - this.price[top]!;
      if (base < end) {
        end = base;
        endColumn = top;
      }
    }
    this.raisePrices(scannedCount, end);
    if (endColumn >= 0) this.flip(endColumn);
  }

  /** Distances over the edges of a row; those not below `end` can't be on a shorter path. */
  private reach(row: number, base: number, search: number, end: number): void {
    const { start, column, weight } = this.graph;
    for (let edge = start[row]!; edge < start[row + 1]!; edge++) {
      const to = column[edge]!;
      if (this.doneIn[to] === search) continue;
      const distance = base + this.price[to]! - weight[edge]!;
      if (distance >= end) continue;
      const seen = this.seenIn[to] === search;
      if (seen && distance >= this.distance[to]!) continue;
      this.seenIn[to] = search;
      this.distance[to] = distance;
      this.reachedBy[to] = edge;
      this.reachedFrom[to] = row;
      if (seen) this.heap.moveUp(to);
      else this.heap.push(to);
    }
  }

  private raisePrices(scannedCount: number, end: number): void {
    for (let i = 0; i < scannedCount; i++) {
      const column = this.scanned[i]!;
      this.price[column]! += Math.max(0, end - this.distance[column]!);
    }
  }

  /** Gives `column` to the row that reached it, and so on back to the root; its old row goes free. */
  private flip(column: number): void {
    const owner = this.rowOfColumn[column]!;
    if (owner >= 0) this.edgeOfRow[owner] = -1;
    let at = column;
    for (;;) {
      const row = this.reachedFrom[at]!;
      const edge = this.edgeOfRow[row]!;
      this.edgeOfRow[row] = this.reachedBy[at]!;
      this.rowOfColumn[at] = row;
      if (edge < 0) return;
      at = this.graph.column[edge]!;
    }
  }
}

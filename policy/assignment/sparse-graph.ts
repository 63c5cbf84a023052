/** A weighted bipartite graph by rows: edges of row r are `start[r] … start[r + 1] − 1`. Weights are positive. */
export interface SparseGraph {
  readonly rowCount: number;
  readonly columnCount: number;
  readonly start: Int32Array;
  readonly column: Int32Array;
  readonly weight: Float64Array;
  /** The caller's number of each edge. */
  readonly label: Int32Array;
}

export interface Edges {
  readonly count: number;
  readonly row: Int32Array;
  readonly column: Int32Array;
  readonly weight: Float64Array;
}

/** Counting sort by row; edges of a row keep their order. The smaller side becomes the rows. */
export function sparseGraph(edges: Edges, sides: { rows: number; columns: number }): SparseGraph {
  const turn = sides.rows > sides.columns;
  const rowCount = turn ? sides.columns : sides.rows;
  const rowOf = turn ? edges.column : edges.row;
  const columnOf = turn ? edges.row : edges.column;
  const start = new Int32Array(rowCount + 1);
  for (let edge = 0; edge < edges.count; edge++) start[rowOf[edge]! + 1]!++;
  for (let row = 0; row < rowCount; row++) start[row + 1]! += start[row]!;
  const next = start.slice(0, rowCount);
  const column = new Int32Array(edges.count);
  const weight = new Float64Array(edges.count);
  const label = new Int32Array(edges.count);
  for (let edge = 0; edge < edges.count; edge++) {
    const slot = next[rowOf[edge]!]!++;
    column[slot] = columnOf[edge]!;
    weight[slot] = edges.weight[edge]!;
    label[slot] = edge;
  }
  return { rowCount, columnCount: turn ? sides.rows : sides.columns, start, column, weight, label };
}

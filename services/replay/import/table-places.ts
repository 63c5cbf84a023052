import { farPoints, limitOfFar } from '#policy/validation/index';
import type { Point, Space } from '#schemas/domain';
import type { ImportFaults } from './import-faults';
import type { RowOf } from './imported-rounds';

/** A point of a table: the columns of it, and the row. */
interface TablePoint {
  readonly columns: string;
  readonly whose: string;
  readonly row: string;
  readonly point: Point;
}

/** Where the rows of a table day stand, and the points in them. */
export class TablePlaces {
  private readonly rows = new Map<string, string>();
  private readonly points: TablePoint[] = [];

  /** `row` is the file with its line; `points` goes by the columns. */
  add(kind: Parameters<RowOf>[0], id: string, row: string, points: Readonly<Record<string, Point>>): void {
    this.rows.set(`${kind} ${id}`, row);
    for (const [columns, point] of Object.entries(points))
      this.points.push({ columns, whose: `${kind.slice(0, -1)} ${id}`, row, point });
  }

  readonly rowOf: RowOf = (kind, id) => this.rows.get(`${kind} ${id}`);

  /** All that are swapped, each once; the others that are far off are found in the rounds that they are in. */
  checkSwapped(space: Space, faults: ImportFaults): void {
    const far = farPoints(
      space,
      this.points.map(({ point }) => point),
    );
    for (const { at, isSwapped } of far) {
      if (!isSwapped) continue;
      const { columns, whose, row, point } = this.points[at]!;
      faults.add(`${row} ${columns} of ${whose}`, `${point.x}, ${point.y}`, limitOfFar("table's", true));
    }
  }
}

/** Keeps at most so many values: of more each second, fourth, … in the order in which they came. */
export class Thinned<T> {
  private kept: T[] = [];
  private every = 1;
  private seen = 0;

  constructor(private readonly most = 20_000) {}

  add(value: T): void {
    if (this.seen++ % this.every !== 0) return;
    this.kept.push(value);
    if (this.kept.length < this.most) return;
    this.kept = this.kept.filter((_, index) => index % 2 === 0);
    this.every *= 2;
  }

  get values(): readonly T[] {
    return this.kept;
  }

  /** How many there were in all. */
  get count(): number {
    return this.seen;
  }
}

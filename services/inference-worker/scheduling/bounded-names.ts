/** Names as they come, up to so many; then `other`. A sender of shards may invent any number of models. */
export class BoundedNames {
  private readonly known = new Set<string>();

  constructor(
    private readonly most = 256,
    private readonly other = 'other',
  ) {}

  nameOf(name: string): string {
    if (this.known.has(name)) return name;
    if (this.known.size >= this.most) return this.other;
    this.known.add(name);
    return name;
  }
}

/** A map that forgets what was set longest ago: a sender of shards may invent any number of models. */
export class BoundedMap<Value> extends Map<string, Value> {
  constructor(private readonly most = 256) {
    super();
  }

  override set(key: string, value: Value): this {
    this.delete(key);
    if (this.size >= this.most) this.delete(this.keys().next().value!);
    return super.set(key, value);
  }
}

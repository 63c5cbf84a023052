const alignment = 64;
const firstGuess = 64 * 1_024;

/** Room that a model's outputs need: that of its largest answer so far. */
export class OutputSizes {
  private readonly bytes = new Map<string, number>();

  expected(model: string): number {
    return this.bytes.get(model) ?? firstGuess;
  }

  expect(model: string, bytes: number): void {
    if (bytes > (this.bytes.get(model) ?? 0)) this.bytes.set(model, bytes);
  }

  remember(model: string, outputs: readonly { readonly byteLength: number }[]): void {
    let bytes = alignment;
    for (const { byteLength } of outputs) bytes += Math.ceil(byteLength / alignment) * alignment;
    this.expect(model, bytes);
  }
}
